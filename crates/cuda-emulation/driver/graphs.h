// Streams that record what they are given, and graphs that repeat it.
//
// As on a GPU a stream that records runs nothing; a call that cannot be recorded fails, and spoils what is recorded: later
// calls say so, and the recording ends without a graph. (Of what can be recorded there, copies from the host, memory that
// is taken and given back, events and graphs are refused here: nobody asks for them.)
#pragma once

#include "devices.h"

namespace raywarp::pretended {

// What a stream records; null while it does not.
inline Recording* recording(const void* stream) {
    const auto at = driver().recordings.find(stream);
    return at == driver().recordings.end() ? nullptr : &at->second;
}

// Whether a call on a stream cannot be, as the stream records.
inline bool cannot_be_recorded(const void* stream) {
    Recording* const own = recording(stream);
    if (own != nullptr) {
        own->spoiled = true;
    }
    return own != nullptr;
}

// The same of a call for a whole device.
inline bool a_stream_records(int device) {
    bool any = false;
    for (const auto& [stream, recording] : driver().recordings) {
        any = (device_of(stream) == device && cannot_be_recorded(stream)) || any;
    }
    return any;
}

// Puts down a launch or a setting of memory.
inline Result record(Recording& recording, Recorded&& recorded) {
    if (recording.spoiled) {
        return CAPTURE_INVALIDATED;
    }
    recording.steps.push_back(std::move(recorded));
    return SUCCESS;
}

inline Result begin_recording(void* stream) {
    Lock lock(driver().mutex);
    const int device = device_of(stream);
    if (fails(device)) {
        return LAUNCH_FAILED;
    }
    if (chosen != device) {
        return INVALID_CONTEXT;
    }
    if (recording(stream) != nullptr) {
        return ILLEGAL_STATE;
    }
    driver().recordings[stream];
    return SUCCESS;
}

inline void* keep(Graph&& graph) {
    void* const handle = new_handle(graph.device);
    driver().graphs[handle] = std::make_unique<Graph>(std::move(graph));
    return handle;
}

// Where it fails too the stream no longer records.
inline Result end_recording(void* stream, void** graph) {
    Lock lock(driver().mutex);
    *graph = nullptr;
    const bool failed = fails(device_of(stream));
    Recording* const own = recording(stream);
    if (own == nullptr) {
        return failed ? LAUNCH_FAILED : ILLEGAL_STATE;
    }
    Recording ended = std::move(*own);
    driver().recordings.erase(stream);
    if (failed || ended.spoiled) {
        return failed ? LAUNCH_FAILED : CAPTURE_INVALIDATED;
    }
    *graph = keep({device_of(stream), false, std::move(ended.steps)});
    return SUCCESS;
}

inline Result instantiate(void** executable, void* graph, u64 flags) {
    Lock lock(driver().mutex);
    if (fails(device_of(graph))) {
        return LAUNCH_FAILED;
    }
    const auto at = driver().graphs.find(graph);
    if (at == driver().graphs.end() || at->second->is_executable || flags != 0) {
        return INVALID_VALUE;
    }
    *executable = keep({at->second->device, true, at->second->steps});
    return SUCCESS;
}

inline Result destroy_graph(void* graph, bool is_executable) {
    Lock lock(driver().mutex);
    const auto at = driver().graphs.find(graph);
    if (at == driver().graphs.end() || at->second->is_executable != is_executable) {
        return INVALID_VALUE;
    }
    driver().graphs.erase(at);
    return SUCCESS;
}

}  // namespace raywarp::pretended
