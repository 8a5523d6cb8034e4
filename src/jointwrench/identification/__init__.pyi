from .base_inertial_parameters import BaseParameters as BaseParameters
from .base_inertial_parameters import base_parameters as base_parameters
from .extra_terms import friction_terms as friction_terms
from .fit import Fit as Fit
from .fitting import identify as identify
from .identified import Identified as Identified
from .payload import Payload as Payload
from .payload import identify_payload as identify_payload
