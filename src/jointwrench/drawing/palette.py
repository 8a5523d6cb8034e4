"""The colours of all pictures, which colour-blind readers can distinguish.

References
==========

M. Okabe and K. Ito, *Color Universal Design*, 2008, https://jfly.uni-koeln.de/color.
"""

BLACK = "#000000"
ORANGE = "#e69f00"
SKY = "#56b4e9"
GREEN = "#009e73"
BLUE = "#0072b2"
VERMILION = "#d55e00"
PURPLE = "#cc79a7"

#: Curves that are distinguished by number, in their order.
CYCLE = (BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY, BLACK)

#: The components x, y and z.
COMPONENTS = {"x": BLUE, "y": ORANGE, "z": GREEN}

#: The lines of the first, second, ... curve, for pictures without colour.
LINES = ("-", "--", "-.", ":")

#: The sides of a person, in their order.
SIDE_COLORS = {"left": BLUE, "right": ORANGE}

#: Parts of stick figures.
FIGURE = {
    "body": "#4d4d4d",
    **SIDE_COLORS,
    "turning": BLUE,
    "sliding": GREEN,
    "force": VERMILION,
    "moment": PURPLE,
    "ground": SKY,
    "link": SKY,
    "markers": ORANGE,
}

#: Axes of zero, grids and the background.
PALE = "0.8"
