// When streams do what they are given: at once, or as late as they may.
//
// At once, everything is in order whatever the caller has done for it. As late as it may, a stream does a step when the host
// waits for it, or another stream does that comes to an event of it. Memory that is given back goes ahead of what other
// streams do, or is as late as everything. Whoever forgets to wait reads what is not there yet, writes over what is still to be copied, or gives
// back what is still to be used; the last is counted, and fails.
#pragma once

#include "devices.h"

namespace raywarp::pretended {

// Lets a stream do its steps up to a number. Nobody holds the driver's lock.
inline void drain(const void* stream, u64 position) {
    while (true) {
        std::function<Result()> step;
        {
            Lock lock(driver().mutex);
            Queue& queue = driver().queues[stream];
            if (queue.done >= position || queue.steps.empty()) {
                return;
            }
            step = std::move(queue.steps.front());
            queue.steps.pop_front();
        }
        const Result result = step();
        Lock lock(driver().mutex);
        Queue& queue = driver().queues[stream];
        queue.done += 1;
        if (queue.failed == SUCCESS) {
            queue.failed = result;
        }
    }
}

inline void drain(const void* stream) { drain(stream, NEVER); }

// All streams of a device, also those that are gone.
inline void drain_device(int device) {
    std::vector<const void*> streams;
    {
        Lock lock(driver().mutex);
        for (const auto& [stream, queue] : driver().queues) {
            if (stream == nullptr || device_of(stream) == device) {
                streams.push_back(stream);
            }
        }
    }
    for (const void* stream : streams) {
        drain(stream);
    }
}

// Gives a stream a step. Nobody holds the driver's lock.
inline Result submit(const void* stream, std::function<Result()> step) {
    {
        Lock lock(driver().mutex);
        Queue& queue = driver().queues[stream];
        queue.issued += 1;
        if (driver().late != 0) {
            queue.steps.push_back(std::move(step));
            return SUCCESS;
        }
        queue.done = queue.issued;
    }
    return step();
}

// Waits for a stream up to a number; what a step has failed with that nobody was told of.
inline Result wait_for(const void* stream, u64 position) {
    drain(stream, position);
    Lock lock(driver().mutex);
    return std::exchange(driver().queues[stream].failed, SUCCESS);
}

}  // namespace raywarp::pretended
