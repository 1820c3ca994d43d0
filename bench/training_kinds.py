"""Small PyTorch trainings of 34 kinds, each with its fault and without it, for bench/trainings.py: knows nothing of takt.

    training_kinds.py list                            each training: kind, model, what is recorded, cause, whether it is priced
    training_kinds.py FOLDER KIND MODEL WORDS PAIRS   trains in turns with the fault and without; WORDS: memory,shapes,stack

Prints a JSON line for each training: whether it has the fault, mean seconds of a step while it is recorded and while it is not,
and the trace. A kind that is healthy has no fault to leave out.
"""
import gc
import gzip
import json
import os
import subprocess
import sys
import time

import torch
import torch.distributed
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile, schedule

from training_input_kinds import (FewWorkers, NamedLoader, OwnLoader, PreparedInLoop, ShortEpochs, SlowCollate, SlowReads,
                                  SlowTransform)
from training_loop import BATCH, Training, compute_in_python, write_through

ACTIVE, PLAIN, EVERY = 12, 8, 4


class Plain(Training):
    """Healthy."""


class Workers(Training):
    """Healthy, with a loader whose workers are ahead."""
    workers = 1


class Accumulation(Training):
    """Healthy: two halves of a batch, one step of the optimizer."""

    def learn(self, x, y):
        self.optimizer.zero_grad()
        for half, answers in zip(x.chunk(2), y.chunk(2)):
            loss = self.loss(half, answers) / 2
            loss.backward()
        self.optimizer.step()
        return loss


class Checkpointing(Training):
    """Healthy: activations are computed again on the way back."""

    def loss(self, x, y):
        parts = self.model.layers.layers if hasattr(self.model.layers, 'layers') else self.model.layers
        for part in parts:
            x = torch.utils.checkpoint.checkpoint(part, x, use_reentrant=False)
        x = x.mean(1) if x.dim() == 3 else x
        return functional.cross_entropy(self.model.head(x), y)


class Inference(Training):
    """Healthy: no way back."""

    def learn(self, x, y):
        with torch.inference_mode():
            return self.loss(x, y)


class GcEachStep(Training):
    cause = 'host_bound'

    def after(self, loss):
        gc.collect()


class PythonMetric(Training):
    cause = 'host_bound'

    def after(self, loss):
        compute_in_python(300_000)


class JsonLog(Training):
    """Gradients as JSON on the disk."""
    cause = 'host_bound'

    def after(self, loss):
        gradients = {name: value.grad.flatten()[:2000].tolist() for name, value in self.model.named_parameters()}
        with open(f'{self.folder}/log.json', 'w', encoding='utf-8') as file:
            write_through(file, json.dumps(gradients))


class Compressed(Training):
    """The batch is kept, compressed."""
    cause = 'host_bound'

    def change(self, x):
        if self.bad:
            gzip.compress(x.numpy().tobytes()[:400_000], 6)
        return x


class OtherProgram(Training):
    """Another program is asked in each step."""
    cause = 'host_bound'

    def after(self, loss):
        subprocess.run([sys.executable, '-S', '-c', 'pass'], check=True)


class Throttled(Training):
    """Waits for a lock, a queue, a rate."""
    cause = 'host_bound'

    def after(self, loss):
        time.sleep(0.015)


class Recompiled(Training):
    """Each batch has another length, and the network is compiled for each."""
    cause = 'host_bound'

    def network(self, name):
        torch.compiler.reset()
        torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = 10_000
        return torch.compile(super().network(name), backend='eager', dynamic=False)

    def change(self, x):
        return x[:, :, :32 - self.number % 30] if self.bad else x[:, :, :20]


class Printed(Training):
    """Pictures of tensors as text."""
    cause = 'host_bound|tiny_kernels|host_synchronisation'
    priced = False

    def after(self, loss):
        with open(os.devnull, 'w', encoding='utf-8') as file:
            for value in self.model.parameters():
                print(value.grad, file=file)


class Checkpoint(Training):
    cause = 'periodic_stall'

    def after(self, loss):
        if self.number % EVERY == 0:
            with open(f'{self.folder}/model.pt', 'wb') as file:
                torch.save([self.model.state_dict(), self.optimizer.state_dict()] * 4, file)
                file.flush()
                os.fsync(file.fileno())


class Validation(Training):
    cause = 'periodic_stall'

    def after(self, loss):
        if self.number % EVERY == 0:
            self.model.eval()
            with torch.no_grad():
                for _ in range(8):
                    self.model(torch.randn(2 * BATCH, *self.shape))
            self.model.train()


class LogEveryFew(Training):
    cause = 'periodic_stall'

    def after(self, loss):
        if self.number % EVERY == 0:
            compute_in_python(900_000)


class ItemsPerStep(Training):
    """Norms of all gradients, read one by one: on a CPU it costs next to nothing."""
    cause, priced = 'host_synchronisation', False

    def after(self, loss):
        for value in self.model.parameters():
            value.grad.norm().item()


class TinyChain(Training):
    cause = 'tiny_kernels'

    def loss(self, x, y):
        loss = super().loss(x, y)
        if not self.bad:
            return loss
        value = torch.zeros(8)
        for _ in range(1500):
            value = value * 1.0001 + 0.5
        return loss + 0 * value.sum()


class LoopedOptimizer(Training):
    """Many parameters, and an optimizer that takes them one by one, in operators of its own."""
    cause = 'tiny_kernels'

    def __init__(self, model, bad, folder):
        super().__init__(model, bad, folder)
        self.more = [torch.nn.Parameter(torch.randn(16)) for _ in range(200)]
        self.momenta = [torch.zeros(16) for _ in self.more]

    def after(self, loss):
        with torch.no_grad():
            for value, momentum in list(zip(self.more, self.momenta)) * 2:
                momentum.mul_(0.9).add_(value, alpha=0.1)
                value.sub_(momentum * 0.01).mul_(0.9999)


class SampleBySample(Training):
    """The loss of each sample and class on its own."""
    cause = 'tiny_kernels'

    def loss(self, x, y):
        if not self.bad:
            return super().loss(x, y)
        scores = functional.log_softmax(self.model(x), 1)
        losses = []
        for _ in range(12):
            losses += [-(scores[i, y[i]] * 1.0 + 0.0) for i in range(len(y))]
        return torch.stack(losses).mean()


class Temporaries(Training):
    cause = 'allocator_churn'

    def after(self, loss):
        for _ in range(24):
            torch.full((2_000_000,), 1.0)


class ClearedBuffers(Training):
    """Large buffers that are new and zero in each step, instead of one that is kept."""
    cause = 'allocator_churn'

    def __init__(self, *words):
        super().__init__(*words)
        self.kept = torch.zeros(32, 512, 512)

    def learn(self, x, y):
        for _ in range(8):
            buffer = torch.zeros(32, 512, 512) if self.bad else self.kept.zero_()
            buffer.add_(1)
        return super().learn(x, y)


class GrowingHistory(Training):
    """All losses so far are gone through again: what grows is code of the program's own."""
    cause = 'rising_step_time|host_bound'

    def after(self, loss):
        compute_in_python(30_000 * max(0, self.number - PLAIN))


class SuddenRise(Training):
    cause = 'rising_step_time'

    def after(self, loss):
        if self.number >= PLAIN + ACTIVE // 2 + 2:
            compute_in_python(600_000)


class SlowStart(Training):
    """The first recorded step starts something."""
    cause, priced = 'warm_up', False

    def after(self, loss):
        if self.number == PLAIN + 2:
            time.sleep(0.6)


class Exchange(Training):
    """Two processes add up large gradients on one machine."""
    cause = 'exposed_communication'

    def __init__(self, model, bad, folder):
        super().__init__(model, bad, folder)
        self.large = torch.zeros(3_000_000)
        if not torch.distributed.is_initialized():
            place = f'{folder}/meeting'
            self.other = subprocess.Popen([sys.executable, __file__, 'other', place])
            torch.distributed.init_process_group('gloo', init_method=f'file://{place}', rank=0, world_size=2)

    def learn(self, x, y):
        self.optimizer.zero_grad()
        loss = self.loss(x, y)
        loss.backward()
        if self.bad:
            torch.distributed.all_reduce(self.large)
        self.optimizer.step()
        return loss


def exchange(place):
    """The other process: answers until the first one is gone."""
    torch.distributed.init_process_group('gloo', init_method=f'file://{place}', rank=1, world_size=2)
    large = torch.zeros(3_000_000)
    try:
        while True:
            torch.distributed.all_reduce(large)
    except RuntimeError:
        os._exit(0)


# Kind, model, what is recorded beside the times.
TRAININGS = [
    (Plain, 'cnn', 'memory'), (Plain, 'mlp', 'memory'), (Plain, 'encoder', 'memory,shapes'), (Plain, 'lstm', 'memory'),
    (Workers, 'cnn', 'memory'), (Accumulation, 'cnn', 'memory'), (Checkpointing, 'encoder', 'memory'), (Inference, 'cnn', 'memory'),
    (GcEachStep, 'cnn', 'memory'), (GcEachStep, 'lstm', 'memory,stack'), (SlowReads, 'cnn', 'memory'), (SlowReads, 'mlp', ''),
    (SlowTransform, 'encoder', 'memory'), (FewWorkers, 'cnn', 'memory'), (SlowCollate, 'lstm', 'memory'), (ShortEpochs, 'cnn', 'memory'),
    (OwnLoader, 'cnn', 'memory'), (OwnLoader, 'mlp', 'memory,stack'), (NamedLoader, 'cnn', 'memory'), (PreparedInLoop, 'cnn', 'memory,stack'),
    (PythonMetric, 'encoder', 'memory'), (PythonMetric, 'cnn', ''), (JsonLog, 'cnn', 'memory'), (Compressed, 'cnn', 'memory,shapes'),
    (OtherProgram, 'mlp', 'memory'), (Throttled, 'lstm', 'memory'), (Recompiled, 'cnn', 'memory'), (Printed, 'mlp', 'memory'),
    (Checkpoint, 'mlp', 'memory'), (Checkpoint, 'encoder', 'memory,stack'), (Validation, 'cnn', 'memory'), (LogEveryFew, 'cnn', 'memory'),
    (ItemsPerStep, 'encoder', 'memory'), (TinyChain, 'cnn', 'memory'), (TinyChain, 'mlp', ''), (LoopedOptimizer, 'cnn', 'memory'),
    (SampleBySample, 'cnn', 'memory'), (Temporaries, 'cnn', 'memory'), (ClearedBuffers, 'mlp', 'memory'), (GrowingHistory, 'cnn', 'memory'),
    (SuddenRise, 'lstm', 'memory'), (SlowStart, 'cnn', 'memory'), (Exchange, 'mlp', 'memory'),
]


def train(kind, model, bad, words, folder, path):
    """Mean seconds of a recorded step and of one before that is not."""
    gc.collect()
    training = kind(model, bad, folder)
    times, last = [], time.perf_counter()

    def tick():
        nonlocal last
        now = time.perf_counter()
        times.append(now - last)
        last = now

    training.run(PLAIN, tick)
    plain = times[2:]
    times.clear()
    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=ACTIVE, repeat=1),
                 on_trace_ready=lambda made: made.export_chrome_trace(path), record_shapes='shapes' in words, profile_memory='memory' in words,
                 with_stack='stack' in words) as profiler:
        last = time.perf_counter()

        def recorded():
            tick()
            profiler.step()
        training.run(ACTIVE + 2, recorded)
    steps = times[2:]
    return sum(steps) / len(steps), sum(plain) / len(plain)


def main():
    if sys.argv[1] == 'list':
        for kind, model, words in TRAININGS:
            print(json.dumps([kind.__name__, model, words, kind.cause, kind.priced]))
        return
    if sys.argv[1] == 'other':
        exchange(sys.argv[2])
    folder, name, model, words, pairs = sys.argv[1:]
    torch.set_num_threads(1)
    kind = globals()[name]
    for number in range(int(pairs)):
        for bad in ([number % 2 == 0, number % 2 == 1] if kind.cause else [False]):
            path = f'{folder}/{name}_{model}_{number}_{"fault" if bad else "none"}.json.gz'
            recorded, plain = train(kind, model, bad, words.split(','), folder, path)
            print(json.dumps({'bad': bad, 'recorded': recorded, 'plain': plain, 'trace': path}), flush=True)


if __name__ == '__main__':
    main()
