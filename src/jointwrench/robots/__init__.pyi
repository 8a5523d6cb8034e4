from .mjcf import read_mjcf as read_mjcf
from .sdf import read_sdf as read_sdf
from .urdf import read_urdf as read_urdf
