"""Plants a fault in every Python process that `scripts/attack --planted` starts, and in their child processes."""

import os

from scripts.attacks.attack_planted import plant_fault

plant_fault(os.environ["ZIM_PLANTED"])
