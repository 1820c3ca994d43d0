# cmake -DTEMPLATE=template.html -DFILE=template.cpp -P WritePage.cmake: the page as C++ (src/report/page/template.h). In pieces,
# since compilers limit the length of one literal.
file(READ "${TEMPLATE}" page HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" page "${page}")
string(LENGTH "${page}" length)
set(lines "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${page}" ${at} 400 piece)  # a hundred bytes
  string(APPEND lines "    \"${piece}\"\n")
  math(EXPR at "${at} + 400")
endwhile()
file(WRITE "${FILE}" "#include \"report/page/template.h\"\n\nstd::string_view takt::page_template() {\n  return\n${lines}    ;\n}\n")
