"""Set-up files of OpenSim's tools, as texts, for the walking trial of the examples."""

ACTUATORS = """<OpenSimDocument Version="40000"><ForceSet name="more">
<defaults><PointActuator name="default"><optimal_force>200</optimal_force></PointActuator>
</defaults>
<objects>
<PointActuator name="FX"><body>pelvis</body><point>-0.07 0 0</point>
 <direction>1 0 0</direction><force_is_global>true</force_is_global></PointActuator>
<PointActuator name="FY"><body>pelvis</body><point>-0.07 0.01 0.02</point>
 <direction>0.1 2 0.1</direction><optimal_force>400</optimal_force></PointActuator>
<TorqueActuator name="MZ"><bodyA>pelvis</bodyA><bodyB>ground</bodyB><axis>0 0 1</axis>
 <min_control>-1</min_control><max_control>1</max_control><optimal_force>200</optimal_force>
</TorqueActuator>
<TorqueActuator name="back"><bodyA>torso</bodyA><bodyB>pelvis</bodyB><axis>0 0.2 1</axis>
 <torque_is_global>false</torque_is_global><optimal_force>50</optimal_force></TorqueActuator>
{}</objects></ForceSet></OpenSimDocument>""".format(
    "".join(
        f'<CoordinateActuator name="{joint}_{side}_reserve"><coordinate>{joint}_{side}</coordinate>'
        "<optimal_force>10</optimal_force></CoordinateActuator>"
        for joint in ("hip_flexion", "knee_angle", "ankle_angle")
        for side in "rl"
    )
)

STATIC_OPTIMIZATION = """<StaticOptimization name="StaticOptimization"><on>true</on>
<use_model_force_set>true</use_model_force_set><activation_exponent>2</activation_exponent>
<optimizer_convergence_criterion>1e-9</optimizer_convergence_criterion>
<optimizer_max_iterations>1000</optimizer_max_iterations>
<use_muscle_physiology>false</use_muscle_physiology></StaticOptimization>"""

JOINT_REACTION = """<JointReaction name="JointReaction"><on>true</on>
<forces_file>walk_StaticOptimization_force.sto</forces_file>
<joint_names>hip_r knee_r knee_r ankle_l</joint_names>
<apply_on_bodies>child child parent parent</apply_on_bodies>
<express_in_frame>ground child parent tibia_l</express_in_frame></JointReaction>"""


def analyze_text(analysis, coordinates="walk.mot", **options):
    """Return the set-up of one or more analyses, with further elements of the tool."""
    more = "".join(f"<{tag}>{text}</{tag}>" for tag, text in options.items())
    return (
        '<OpenSimDocument Version="40000"><AnalyzeTool name="walk">'
        "<model_file>subject01.osim</model_file><force_set_files>actuators.xml</force_set_files>"
        "<initial_time>0.5</initial_time><final_time>1.5</final_time>"
        f"<AnalysisSet name='Analyses'><objects>{analysis}</objects></AnalysisSet>"
        f"<external_loads_file>walk_grf.xml</external_loads_file>{more}"
        f"<coordinates_file>{coordinates}</coordinates_file>"
        "<lowpass_cutoff_frequency_for_coordinates>6</lowpass_cutoff_frequency_for_coordinates>"
        "</AnalyzeTool></OpenSimDocument>"
    )


def scale_text(measurements, factors, weights, pose):
    """Return a ScaleTool: axes and pairs of markers by body, factors, weights of tasks, a pose."""
    measured = "".join(
        f'<Measurement name="{body}"><apply>true</apply><MarkerPairSet><objects>'
        + "".join(f"<MarkerPair><markers>{a} {b}</markers></MarkerPair>" for a, b in pairs)
        + f'</objects></MarkerPairSet><BodyScaleSet><objects><BodyScale name="{body}">'
        f"<axes>{axes}</axes></BodyScale></objects></BodyScaleSet></Measurement>"
        for body, (axes, pairs) in measurements.items()
    )
    manual = "".join(
        f"<Scale><scales>{x}</scales><segment>{body}</segment><apply>true</apply></Scale>"
        for body, x in factors.items()
    )
    tasks = "".join(
        f'<IKMarkerTask name="{name}"><apply>true</apply><weight>{x}</weight></IKMarkerTask>'
        for name, x in weights.items()
    ) + "".join(
        f'<IKCoordinateTask name="{name}"><apply>true</apply><weight>1e-6</weight>'
        f"<value_type>manual_value</value_type><value>{x}</value></IKCoordinateTask>"
        for name, x in pose.items()
    )
    return (
        '<OpenSimDocument Version="40000"><ScaleTool name="person"><mass>80</mass>'
        "<GenericModelMaker><model_file>subject01.osim</model_file></GenericModelMaker>"
        "<ModelScaler><apply>true</apply>"
        "<scaling_order>measurements manualScale</scaling_order>"
        f"<MeasurementSet><objects>{measured}</objects></MeasurementSet>"
        f"<ScaleSet><objects>{manual}</objects></ScaleSet>"
        "<marker_file>static.trc</marker_file><time_range>-1 -1</time_range>"
        "<preserve_mass_distribution>false</preserve_mass_distribution></ModelScaler>"
        f"<MarkerPlacer><apply>true</apply><IKTaskSet><objects>{tasks}</objects></IKTaskSet>"
        "<marker_file>static.trc</marker_file><time_range>0 1</time_range>"
        "<output_model_file>person.osim</output_model_file>"
        "<max_marker_movement>-1</max_marker_movement></MarkerPlacer>"
        "</ScaleTool></OpenSimDocument>"
    )
