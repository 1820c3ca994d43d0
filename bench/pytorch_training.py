"""PyTorch trainings with a planted fault under PyTorch's own profiler, for bench/pytorch.py: knows nothing of takt.

    pytorch_training.py FOLDER MODEL SEED [WORD…]    words: healthy, workers, sgd, shapes, stack, cuda

Trains the model once with each fault, in an order drawn by the seed, or 40 times without (healthy), and prints a JSON line
for each training: fault, strength, mean seconds of a profiled step, and the trace.
"""
import json
import random
import sys
import time

import torch
import torchvision
from torch.profiler import ProfilerActivity, profile, schedule

ACTIVE, BATCH = 8, 16
FAULTS = [('none', '')] + [(fault, strength) for fault in ('io', 'cpu', 'tiny', 'churn', 'sync') for strength in ('mild', 'strong')]


class Cnn(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 16, 3, padding=1), torch.nn.BatchNorm2d(16), torch.nn.ReLU(),
            torch.nn.Conv2d(16, 32, 3, stride=2, padding=1), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(),
            torch.nn.Linear(32, 10))

    def forward(self, x):
        return self.layers(x)


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(1000, 128)
        self.layers = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(128, 4, 512, batch_first=True), 3)
        self.head = torch.nn.Linear(128, 10)

    def forward(self, x):
        return self.head(self.layers(self.embedding(x)).mean(1))


class Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.head = torch.nn.LSTM(64, 256, 2, batch_first=True), torch.nn.Linear(256, 10)

    def forward(self, x):
        return self.head(self.layers(x)[0][:, -1])


IMAGE = (3, 64, 64)
MODELS = {'cnn': (Cnn, IMAGE), 'encoder': (Encoder, None), 'lstm': (Recurrent, (50, 64)),
          'resnet18': (lambda: torchvision.models.resnet18(num_classes=10), IMAGE),
          'mobilenet': (lambda: torchvision.models.mobilenet_v3_small(num_classes=10), IMAGE)}


class Samples(torch.utils.data.Dataset):
    """On a GPU: numbers of samples that it has already, since to bring one takes longer than to learn from it."""

    def __init__(self, shape, fault, strength, on_gpu):
        self.shape, self.fault, self.more, self.on_gpu = shape, fault, 3 if strength == 'strong' else 1, on_gpu

    def draw(self, index):
        if self.on_gpu:
            return torch.tensor(index)
        return torch.randn(self.shape) if self.shape else torch.randint(0, 1000, (64,))

    def __len__(self):
        return 64 * BATCH

    def __getitem__(self, index):
        if self.fault == 'io':
            time.sleep(0.004 * self.more)
        if self.fault == 'cpu':
            total = 0
            for number in range(60_000 * self.more):
                total += number * number
        return self.draw(index), index % 10


def with_fault(loss, fault, strength, model):
    more, device = 3 if strength == 'strong' else 1, loss.device
    if fault == 'tiny':
        x = torch.zeros(8, device=device)
        for _ in range(2000 * more):
            x = x * 1.0001 + 0.5
        return loss + 0 * x.sum()
    if fault == 'churn':
        parts = []
        for _ in range(20 * more):
            temporary = torch.full((2_000_000,), 1.0, device=device)
            parts.append(temporary[:4].clone())
            del temporary
            if device.type == 'cuda':
                torch.cuda.empty_cache()  # else the allocator keeps it, and nothing is lost
        return loss + 0 * torch.stack(parts).sum()
    if fault == 'sync':
        for parameter in list(model.parameters())[:12]:
            for _ in range(more):
                parameter.sum().item()
    return loss


def train(path, name, seed, fault, strength, words):
    torch.manual_seed(seed)
    make, shape = MODELS[name]
    device = torch.device('cuda' if 'cuda' in words else 'cpu')
    model = make().to(device)
    optimizer = torch.optim.SGD(model.parameters(), 1e-3, momentum=0.9) if 'sgd' in words else torch.optim.AdamW(model.parameters(), 1e-3)
    workers = 2 if 'workers' in words else 0
    on_gpu, batch = 'cuda' in words, 64 if 'cuda' in words else BATCH
    if on_gpu:
        samples = torch.randint(0, 1000, (64 * BATCH, 64), device=device) if shape is None else torch.randn(
            64 * BATCH, *((3, 224, 224) if shape == IMAGE else shape), device=device)
    loader = torch.utils.data.DataLoader(Samples(shape, fault, strength, on_gpu), batch_size=batch, shuffle=True, num_workers=workers,
                                         drop_last=True)
    times = []
    with profile(activities=[ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if 'cuda' in words else [])], schedule=schedule(wait=1, warmup=1, active=ACTIVE, repeat=1),
                 on_trace_ready=lambda made: made.export_chrome_trace(path), record_shapes='shapes' in words, profile_memory=True,
                 with_stack='stack' in words) as profiler:
        last = time.perf_counter()
        for step, (x, y) in enumerate(loader):
            x, y = samples[x.to(device)] if on_gpu else x, y.to(device)
            optimizer.zero_grad()
            loss = with_fault(torch.nn.functional.cross_entropy(model(x), y), fault, strength, model)
            loss.backward()
            optimizer.step()
            if 'cuda' in words and step in (1, ACTIVE + 1):  # elsewhere it would be a fault of its own
                torch.cuda.synchronize()
            now = time.perf_counter()
            times.append(now - last)
            last = now
            profiler.step()
            if step == ACTIVE + 1:
                break
    return sum(times[2:]) / len(times[2:])


def main():
    folder, name, seed, words = sys.argv[1], sys.argv[2], int(sys.argv[3]), set(sys.argv[4:])
    torch.set_num_threads(2)
    faults = FAULTS[:1] * 40 if 'healthy' in words else list(FAULTS)
    random.Random(seed).shuffle(faults)
    for number, (fault, strength) in enumerate(faults):
        path = f'{folder}/{name}_{seed}_{fault}_{strength or number}.json'
        mean = train(path, name, 1000 * seed + number, fault, strength, words)
        print(json.dumps({'fault': fault, 'strength': strength, 'seconds': mean, 'trace': path}), flush=True)


if __name__ == '__main__':
    main()
