"""OpenSim files of external loads written for the tests."""

NAMES = [
    *(f"ground_force_{letter}{axis}" for letter in "vp" for axis in "xyz"),
    *(f"1_ground_force_{letter}{axis}" for letter in "vp" for axis in "xyz"),
    *(f"{foot}ground_torque_{axis}" for foot in ("", "1_") for axis in "xyz"),
]


FORCE = """
    <ExternalForce name="{name}">
      <isDisabled>{off}</isDisabled>
      <applied_to_body>{body}</applied_to_body>
      <force_expressed_in_body>ground</force_expressed_in_body>
      <point_expressed_in_body>ground</point_expressed_in_body>
      <force_identifier>{prefix}ground_force_v</force_identifier>
      <point_identifier>{prefix}ground_force_p</point_identifier>
      <torque_identifier>{prefix}ground_torque_</torque_identifier>
      <data_source_name>Unassigned</data_source_name>
    </ExternalForce>"""


RIGHT = {"name": "right", "body": "calcn_r", "prefix": "", "off": "false"}


LEFT = {"name": "left", "body": "/bodyset/calcn_l", "prefix": "1_", "off": "false"}
