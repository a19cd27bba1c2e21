# Runs the `# RUN:` lines of the .ir files here: lit.py -D ingot=PATH -D filecheck=PATH -D scratch=DIR .
import os

import lit.formats

config.name = "passes"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ir"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["scratch"]
config.substitutions.append(("%ingot", lit_config.params["ingot"]))
config.substitutions.append(("%filecheck", lit_config.params["filecheck"]))
