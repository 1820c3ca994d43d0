@echo off
rem Exports and measures the stages of a graph neural network on every device of this machine, and makes the tables of
rem their costs: "takt sweep --all" with the arguments of this script. A run that was stopped goes on where it was.
rem TAKT names the program; without it the one on the PATH. Exit code: that of takt.
setlocal
if not defined TAKT set TAKT=takt
where /q "%TAKT%" || if not exist "%TAKT%" (
  echo run_profiling: there is no takt; put it on the PATH or name it: set TAKT=C:\path\to\takt.exe 1>&2
  exit /b 1
)
"%TAKT%" sweep --all %*
exit /b %ERRORLEVEL%
