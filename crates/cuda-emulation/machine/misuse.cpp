// Kernels that misuse the warp, each in one way: tests/misuse.rs says what the machine must say of each, and at
// which of the lines marked here.
#include "machine.h"
#include "launch.h"

using namespace raywarp;

namespace {

using platform::lane;

// Every lane adds to lane 0's counter, all meet, and all agree: nothing is wrong.
void sound(const Launch& launch) {
    RW_SHARED(u32, 64, sums);
    sums.store(platform::warp_in_block() * 32 + lane(), lane());
    platform::sync(EVERYONE);
    const u32 next = sums.load(platform::warp_in_block() * 32 + (lane() + 1) % 32);
    if (platform::any_sync(EVERYONE, next != (lane() + 1) % 32) || platform::shuffle_sync(EVERYONE, lane(), 5) != 5 ||
        platform::ballot_sync(EVERYONE, lane() % 2 == 1) != 0xaaaaaaaau ||
        !(platform::running_together() >> lane() & 1)) {
        platform::load1(nullptr);
    }
    // Lanes that come to a place at once may go on together, whoever they are.
    for (u32 round = 0; round <= lane() % 3; round++) {
        const LaneMask group = lane() % 2 == 0 ? platform::running_together() : platform::running_together();
        if (!(group >> lane() & 1) || platform::ballot_sync(group, true) != group) {
            platform::load1(nullptr);
        }
    }
    // Two halves may go separate ways.
    const LaneMask half = lane() < 16 ? 0xffffu : 0xffff0000u;
    if (lane() < 16) {
        platform::sync(half);
    } else {
        platform::any_sync(half, true);
    }
    platform::add_to_counter(launch.counter, 1);
}

// Each warp reads what the other has written, in both kinds of a block's memory, and then both write again.
void sound_block(const Launch& launch) {
    RW_SHARED(u32, 64, sums);
    RW_DYNAMIC_SHARED(u16, 16, 0, even);
    RW_DYNAMIC_SHARED(u16, 8, 32, odd);
    u32* const words = reinterpret_cast<u32*>(platform::block_memory(48, 16));
    const u32 own = platform::warp_in_block() * 32 + lane(), other = (own + 32) % 64;
    for (u32 round = 0; round < 3; round++) {
        sums.store(own, own + round);
        if (own % 32 < 4) {
            auto& list = own < 32 ? even : odd;
            list.store(own % 32, static_cast<u16>(own + round));
        }
        if (own % 32 < 2) {
            platform::put(words + own / 32 * 2 + own % 32, own + round);
        }
        platform::sync_block();
        bool wrong = sums.load(other) != other + round;
        if (own % 32 < 2) {
            wrong = wrong || (own < 32 ? odd : even).load(own % 32) != other + round ||
                    platform::get(words + other / 32 * 2 + other % 32) != other + round;
        }
        if (wrong) {
            platform::load1(nullptr);
        }
        platform::sync_block();
    }
    platform::add_to_counter(launch.counter, 1);
}

void not_in_mask(const Launch&) {
    platform::any_sync(0x7fffffffu, true);  // line: not in its mask
}

void ended(const Launch&) {
    if (lane() == 3) {
        return;
    }
    platform::ballot_sync(EVERYONE, true);  // line: has ended
}

void other_site(const Launch&) {
    if (lane() < 16) {
        platform::any_sync(EVERYONE, true);
    } else {
        platform::any_sync(EVERYONE, true);  // line: other site
    }
}

void other_intrinsic(const Launch&) {
    // line: other intrinsic
    lane() < 16 ? (void)platform::any_sync(EVERYONE, true) : platform::sync(EVERYONE);
}

void other_mask(const Launch&) {
    platform::sync(lane() < 16 ? EVERYONE : 0xffff0001u);  // line: other mask
}

// Three groups, each waiting for the next one.
void all_wait(const Launch&) {
    const LaneMask groups[3] = {0x3ffu, 0xffc00u, 0xfff00000u};
    const u32 mine = lane() < 10 ? 0 : lane() < 20 ? 1 : 2;
    platform::sync(groups[mine] | groups[(mine + 1) % 3]);  // line: all wait
}

void from_outside(const Launch&) {
    if (lane() < 16) {
        platform::shuffle_sync(0xffffu, 1, 20);  // line: from outside
    }
}

void race(const Launch&) {
    RW_SHARED(u32, 64, sums);
    sums.store(0, lane());  // line: race
}

// A vote is no fence.
void read_race(const Launch&) {
    RW_SHARED(u32, 64, sums);
    const u32 first = platform::warp_in_block() * 32;
    sums.store(first + lane(), 1);
    platform::any_sync(EVERYONE, true);
    sums.load(first + (lane() ^ 1));  // line: read race
}

// Warps of a block share the memory too.
void warps_race(const Launch&) {
    RW_SHARED(u32, 64, sums);
    platform::sync(EVERYONE);
    if (lane() == 0) {
        sums.store(0, 1);  // line: warps race
    }
}

void out_of_step(const Launch&) {
    platform::keep_in_step();
    if (platform::warp_in_block() != 0) {
        platform::keep_in_step();  // line: out of step
    }
}

void apart(const Launch&) {
    if (lane() < 16) {
        platform::keep_in_step();  // line: apart
    }
}

// The other warp of the block ends.
void block_ended(const Launch&) {
    if (platform::warp_in_block() == 1) {
        platform::sync_block();  // line: block ended
    }
}

// Other lanes of the warp end.
void part_waits(const Launch&) {
    if (lane() < 16) {
        platform::sync_block();  // line: part waits
    }
}

void block_sites(const Launch&) {
    if (platform::warp_in_block() == 0) {
        platform::sync_block();
    } else {
        platform::sync_block();  // line: block sites
    }
}

// Of a warp's own sync the other warp knows nothing.
void block_race(const Launch&) {
    RW_SHARED(u32, 64, sums);
    const u32 own = platform::warp_in_block() * 32 + lane();
    platform::sync(EVERYONE);
    sums.store(own, 1), sums.load(own ^ 32);  // line: block race
}

// One that all have passed orders nothing that comes after it.
void late_race(const Launch&) {
    RW_SHARED(u32, 64, sums);
    const u32 own = platform::warp_in_block() * 32 + lane();
    sums.store(own, 1);
    platform::sync_block();
    sums.load(own ^ 32), sums.store(own, 2);  // line: late race
}

void beyond_launch(const Launch&) {
    RW_DYNAMIC_SHARED(u32, 17, 0, words);  // line: beyond launch
    words.store(lane(), 1);
}

void behind_launch(const Launch&) {
    RW_DYNAMIC_SHARED(u32, 1, 64, words);  // line: behind launch
    words.store(0, 1);
}

void block_memory_beyond(const Launch&) {
    platform::block_memory(48, 32);  // line: block memory beyond
}

// A part of it may be asked for, and more be touched.
void behind_block_memory(const Launch&) {
    platform::put(reinterpret_cast<u32*>(platform::block_memory(60, 4)) + 1, 1u);  // line: behind block memory
}

void dynamic_race(const Launch&) {
    RW_DYNAMIC_SHARED(u32, 16, 0, words);
    words.store(3, lane());  // line: dynamic race
}

void beyond(const Launch&) {
    RW_SHARED(u32, 8, few);
    if (lane() == 0) {
        few.store(8, 1);  // line: beyond
    }
}

void wild_load(const Launch& launch) {
    platform::load1(launch.slots + 4);  // line: wild load
}

void wild_store(const Launch& launch) {
    platform::put(launch.counter + 4, 1u);  // line: wild store
}

void endless(const Launch&) {
    while (platform::any_sync(EVERYONE, true)) {
    }
}

struct Entry {
    const char* name;
    void (*kernel)(const Launch&);
};

constexpr Entry KERNELS[] = {
    {"sound", sound},
    {"sound_block", sound_block},
    {"not_in_mask", not_in_mask},
    {"ended", ended},
    {"other_site", other_site},
    {"other_intrinsic", other_intrinsic},
    {"other_mask", other_mask},
    {"all_wait", all_wait},
    {"from_outside", from_outside},
    {"race", race},
    {"read_race", read_race},
    {"warps_race", warps_race},
    {"out_of_step", out_of_step},
    {"apart", apart},
    {"block_ended", block_ended},
    {"part_waits", part_waits},
    {"block_sites", block_sites},
    {"block_race", block_race},
    {"late_race", late_race},
    {"beyond_launch", beyond_launch},
    {"behind_launch", behind_launch},
    {"block_memory_beyond", block_memory_beyond},
    {"behind_block_memory", behind_block_memory},
    {"dynamic_race", dynamic_race},
    {"beyond", beyond},
    {"wild_load", wild_load},
    {"wild_store", wild_store},
    {"endless", endless},
};

}  // namespace

// Null for a name that none has.
extern "C" emulation::Kernel raywarp_emulation_misuse(const char* name) {
    for (const Entry& entry : KERNELS) {
        if (std::strcmp(entry.name, name) == 0) {
            return reinterpret_cast<emulation::Kernel>(entry.kernel);
        }
    }
    return nullptr;
}
