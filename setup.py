# What pyproject.toml cannot say: boards' profiles and a model go into the wheel
# MIT license; Copyright (c) 2026 the tflm authors

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


# Copies boards/*/profile.toml to tflm_tools/boards, and the front end of wake words to
# tflm_tools/models; in an editable install they are found as they are.
class BuildWithData(build_py):
    def run(self):
        super().run()
        if self.editable_mode:
            return
        here = Path(__file__).parent
        for profile in sorted(here.glob("boards/*/profile.toml")):
            target = Path(self.build_lib, "tflm_tools", "boards", profile.parent.name)
            target.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(profile, target / profile.name)
        target = Path(self.build_lib, "tflm_tools", "models")
        target.mkdir(parents=True, exist_ok=True)
        for model in here.glob("models/audio_frontend/micro_frontend_*.tflite"):
            shutil.copyfile(model, target / model.name)


setup(cmdclass={"build_py": BuildWithData})
