"""Why a plan is as it is, and what near it would be better: `aieloom explain LAYER`, `aieloom suggest LAYER`."""
