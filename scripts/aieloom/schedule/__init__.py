"""A core's time: operations with what they wait for, list schedules, software pipelines, registers."""
