"""Types of matplotlib in annotations of functions that are imported without matplotlib."""

from matplotlib.animation import FuncAnimation as FuncAnimation
from matplotlib.axes import Axes as Axes
