# cmake -DSOURCE=DIR -DFILE=commit.cpp -P WriteCommit.cmake: the commit that is checked out, as C++ (src/cli/line/version.h).
# SOURCE is empty where the sources do not come from git; a repository around them is not theirs.
set(failed TRUE)
if(SOURCE)
  execute_process(COMMAND git -C "${SOURCE}" rev-parse --short=10 HEAD OUTPUT_VARIABLE commit RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(failed)
  set(commit "")
endif()
file(WRITE "${FILE}" "#include \"cli/line/version.h\"\n\nconst char takt::commit[] = \"${commit}\";\n")
