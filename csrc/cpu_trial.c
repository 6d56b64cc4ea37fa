/* FASTCHACHA_ENABLE: does the CPU execute an instruction that the kernel does not report? One is
 * run in a child process, so that a wrong claim costs a child and not the program. */
#define _POSIX_C_SOURCE 200809L
#include "backend.h"

#if defined(_WIN32)

int fc_cpu_trial_in_child(int bit) {
    (void)bit;
    return -1;
}

#else

#include <errno.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* vadd.i32 q0, q0, q0 (Arm ARM DDI 0406, A7.4): encoded, since the compiler's own options may lack
 * NEON; its first byte differs between the instruction sets. */
#if defined(__thumb__)
#define NEON_TRIAL ".inst.w 0xef200840"
#else
#define NEON_TRIAL ".inst 0xf2200840"
#endif

/* Runs the trial of the feature; returns -1 where there is none. */
static int trial(int bit) {
    switch (bit) {
#define FC_TRIAL(bit, text)                                                                        \
    case bit:                                                                                      \
        __asm__ volatile(text);                                                                    \
        return 0;
#define FC_FEATURE(arch, bit, name, probe, trial) FC_IF_##arch(FC_TRIAL(bit, trial))
#include "features.def"
#undef FC_FEATURE
    }
    return -1;
}

static void trapped(int signal) {
    (void)signal;
    _exit(1); /* no core file */
}

int fc_cpu_trial_in_child(int bit) {
    int status;
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        struct sigaction action = {0};
        sigset_t all;
        action.sa_handler = trapped;
        sigaction(SIGILL, &action, NULL);
        sigaction(SIGSEGV, &action, NULL);
        sigaction(SIGBUS, &action, NULL);
        sigemptyset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        _exit(trial(bit) == 0 ? 0 : 2);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 2 ? -1 : 1;
}

#endif
