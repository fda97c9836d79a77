# What people say to the running work comes after the next command, and before the end.
import subprocess

from minisweagent.environments.local import LocalEnvironment
from minisweagent.exceptions import Submitted


class Environment(LocalEnvironment):
    def execute(self, action: dict, cwd: str = "", *, timeout: int | None = None) -> dict:
        try:
            output = super().execute(action, cwd, timeout=timeout)
        except Submitted:
            said = new_remarks()
            if not said:
                raise
            return {"output": said, "returncode": 0, "exception_info": ""}
        return {**output, "output": f"{output['output']}{new_remarks()}"}


def new_remarks() -> str:
    said = subprocess.run(["new-remarks"], stdout=subprocess.PIPE, text=True, check=False).stdout
    return f"\n{said}" if said else ""
