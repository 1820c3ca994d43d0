// Marks what libtakt shows to the programs that link it; everything else in it is hidden, so that a program may link
// other versions of the libraries that takt is made of.
#pragma once

#define TAKT_EXPORT __attribute__((visibility("default")))
