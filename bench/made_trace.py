"""Traces of a training as PyTorch writes them, as large as wanted: text that repeats, times that go on."""

KERNELS = 2000  # of a step


def work_of(i):
    """Category, name, the call that launches it, stream and microseconds of a step's piece of work number i."""
    if i % 100 == 99:  # on a stream of its own, beside the kernels after it
        return "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "cudaLaunchKernelExC", 20, 6.25
    if i % 50 == 7:
        return "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", "cudaMemcpyAsync", 7, 1.5
    return "kernel", f"void kernel_{i % 60}<float, 4>(int, float*)", "cudaLaunchKernel", 7, 0.8 + i % 7 / 5


def step_text(number, start, kernels=KERNELS):
    """One step of 10 ms: an operator, a launch, a flow event and a kernel, repeatedly."""
    lines = ['{"ph":"X","cat":"user_annotation","name":"ProfilerStep#%d","pid":7,"tid":7,"ts":%.3f,"dur":10000.000,'
             '"args":{"External id":%d,"Ev Idx":%d}}' % (number, start, number, number)]
    free = {7: 0.0, 20: 0.0}  # when each stream is done
    for i in range(kernels):
        at = start + i * 9900.0 / kernels
        identity = number * kernels + i + 1
        category, name, call, stream, duration = work_of(i)
        begin = max(at + 1.5, free[stream])
        free[stream] = begin + duration
        lines.append('{"ph":"X","cat":"cpu_op","name":"aten::conv%d","pid":7,"tid":7,"ts":%.3f,"dur":0.900,"args":{"External '
                     'id":%d,"Input Dims":[[64,3,224,224],[64]],"Ev Idx":%d}}' % (i % 40, at, identity, i))
        lines.append('{"ph":"X","cat":"cuda_runtime","name":"%s","pid":7,"tid":7,"ts":%.3f,"dur":0.400,"args":'
                     '{"External id":%d,"cbid":211,"correlation":%d}}' % (call, at + 0.2, identity, identity))
        lines.append('{"ph":"s","id":%d,"pid":7,"tid":7,"ts":%.3f,"cat":"ac2g","name":"ac2g"}' % (identity, at + 0.2))
        lines.append('{"ph":"X","cat":"%s","name":"%s","pid":0,"tid":%d,"ts":%.3f,"dur":%.3f,"args":{"External id":%d,"device":0,'
                     '"stream":%d,"correlation":%d,"grid":[128,1,1],"block":[256,1,1],"blocks per SM":4.5}}'
                     % (category, name, stream, begin, duration, identity, stream, identity))
        lines.append('{"ph":"f","id":%d,"pid":0,"tid":%d,"ts":%.3f,"cat":"ac2g","name":"ac2g","bp":"e"}' % (identity, stream, begin))
    return ",\n".join(lines)


def make(path, size):
    """Writes a trace of at least so many bytes; returns its number of steps."""
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"schemaVersion":1,"distributedInfo":{"rank":0},"baseTimeNanoseconds":1700000000000000000,"traceEvents":[\n')
        number = written = 0
        while written < size:
            text = step_text(number, 1000.0 + number * 10000)
            file.write((",\n" if number else "") + text)
            written += len(text)
            number += 1
        file.write("\n]}\n")
    return number
