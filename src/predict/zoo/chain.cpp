#include "predict/zoo/chain.h"

namespace takt {

ZooTensor ZooChain::activated(const ZooTensor& x) {
  static constexpr std::array<const char*, 6> plain{"Relu", "Sigmoid", "LeakyRelu", "HardSwish", "HardSigmoid", "Tanh"};
  switch (random_() % 8) {
    case 0:
      return x;
    case 1:
    case 2:
      return w_.act("Relu", x);
    case 3:
      return w_.relu6(x);
    case 4:
      return w_.swish(x);
    case 5:
      return one_to(2) ? w_.gelu(x) : w_.swish(x);
    default:
      return w_.act(one_of(plain), x);
  }
}

}  // namespace takt
