from .mjcf import read_mjcf as read_mjcf
from .urdf import read_urdf as read_urdf
