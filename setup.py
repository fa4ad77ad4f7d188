# What pyproject.toml cannot say: the boards' profiles go into the wheel, beside the host tools
# MIT license; Copyright (c) 2026 the tflm authors

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


# Copies boards/*/profile.toml to tflm_tools/boards; in an editable install they are found as is.
class BuildWithBoards(build_py):
    def run(self):
        super().run()
        if self.editable_mode:
            return
        for profile in sorted(Path(__file__).parent.glob("boards/*/profile.toml")):
            target = Path(self.build_lib, "tflm_tools", "boards", profile.parent.name)
            target.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(profile, target / profile.name)


setup(cmdclass={"build_py": BuildWithBoards})
