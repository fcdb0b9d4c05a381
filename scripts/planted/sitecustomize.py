"""Plants a fault in each Python process that `scripts/attack --planted` starts, and in those that these start."""

import os

from attack_planted import plant

plant(os.environ["ZIM_PLANTED"])
