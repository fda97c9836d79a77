// Which system calls the processes of an agent may make: a seccomp profile, narrower than the one
// that Engines have by themselves.
//
// What is not in the lists answers "no such call" (ENOSYS), so that libraries fall back to what
// older kernels have. What a program asks for knowingly answers "not permitted" (EPERM). Beside
// what the Engine's own profile refuses, that is: looking into other processes, io_uring, kernel
// queues and semaphores that would outlive a grant, sockets of rare families, and programs for
// other instruction sets (32 bits).
//
// Extended attributes, and with them access control lists, and flags of files can only be read: a
// folder would keep them from grant to grant, and a list that all new files inherit can keep its
// owner out of them. The answer is "not supported" (ENOTSUP), as on file systems that have none, so
// that programs which copy files go on without.
//
// An agent's command is the cub's own user, so that Linux would let it change the cub. Limits,
// priorities and scheduling of another process or thread than the caller are refused, because the
// cub could not set them back; which threads are the cub's a profile cannot know. So is sending the
// one signal that the cub listens to, by each call that sends a signal. All others process 1 does
// not take from inside, but for 30 and 33, by which its runtime's garbage collector and libc speak
// to threads (docs/internals/decisions.md): a profile that kept commands from sending them would
// keep the cub from it, too.
import type { ContainerSpec } from "../container-spec.ts";

const files = `access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fadvise64
  fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fdatasync fgetxattr flistxattr flock fstat fstatfs fsync
  ftruncate futimesat getcwd getdents getdents64 getxattr getxattrat inotify_add_watch inotify_init inotify_init1 inotify_rm_watch
  lchown lgetxattr link linkat listxattr listxattrat llistxattr lseek lstat mkdir mkdirat mknod mknodat newfstatat open
  openat openat2 pipe pipe2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv rename
  renameat renameat2 rmdir sendfile splice stat statfs statx symlink symlinkat sync sync_file_range syncfs tee truncate umask
  unlink unlinkat utime utimensat utimes vmsplice write writev`;

const memory = `brk madvise map_shadow_stack membarrier memfd_create mincore mlock mlock2 mlockall mmap mprotect mremap mseal msync munlock
  munlockall munmap pkey_alloc pkey_free pkey_mprotect process_madvise process_mrelease remap_file_pages shmat shmctl shmdt shmget`;

const processes = `alarm arch_prctl capget capset clock_getres clock_gettime clock_nanosleep execve execveat exit exit_group fork futex
  futex_requeue futex_wait futex_waitv futex_wake get_robust_list getcpu getegid geteuid getgid getgroups getitimer getpgid getpgrp getpid
  getppid getpriority getrandom getresgid getresuid getrlimit getrusage getsid gettid gettimeofday getuid ioprio_get
  landlock_add_rule landlock_create_ruleset landlock_restrict_self nanosleep pause pidfd_open prctl
  restart_syscall rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait
  sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler
  sched_rr_get_interval sched_setaffinity sched_setparam sched_yield seccomp set_robust_list
  set_tid_address setfsgid setfsuid setgid setgroups setitimer setpgid setregid setresgid setresuid setreuid setrlimit setsid
  setuid sigaltstack sysinfo time timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create
  timerfd_gettime timerfd_settime times uname vfork wait4 waitid`;

const events = `epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 io_cancel io_destroy io_getevents
  io_pgetevents io_setup io_submit poll ppoll pselect6 select signalfd signalfd4`;

const sockets = `accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg sendmsg sendto
  setsockopt shutdown`;

const refused = `add_key bpf chroot fsconfig fsmount fsopen fspick kcmp keyctl mount mount_setattr move_mount open_tree perf_event_open
  pidfd_getfd pivot_root process_vm_readv process_vm_writev ptrace request_key setns umount2 unshare userfaultfd`;

const attributes = `fremovexattr fsetxattr lremovexattr lsetxattr removexattr removexattrat setxattr setxattrat`;

/**
 * The second byte of a command of `ioctl` says whose it is. Of these, file systems, all others are
 * refused, such as those that set.
 */
const ofFileSystems = {
  owners: [0x58, 0x66, 0x94, 0xf5],
  /**
   * FIEMAP, FS_IOC_FSGETXATTR, FS_IOC_GETFLAGS in 64 and 32 bits, F2FS_IOC_GET_FEATURES; FICLONE,
   * FICLONERANGE and FIDEDUPERANGE.
   */
  allowed: [
    0xc020660b, 0x801c581f, 0x80086601, 0x80046601, 0x8004f50c, 0x40049409, 0x4020940d, 0xc0189436,
  ],
  /** FS_IOC_SETFLAGS in 64 and 32 bits, FS_IOC_FSSETXATTR. */
  settingFlags: [0x40086602, 0x40046602, 0x401c5820],
};

const [unix, ipv4, ipv6, netlink] = [1, 2, 10, 16];
/**
 * `value`, where `op` compares with it; with a mask, `value` is the mask and `valueTwo` what
 * remains.
 */
type Argument = {
  index: number;
  value: number;
  valueTwo?: number;
  op: "SCMP_CMP_EQ" | "SCMP_CMP_NE" | "SCMP_CMP_MASKED_EQ";
};
const equals = (index: number, value: number): Argument => ({ index, value, op: "SCMP_CMP_EQ" });
const differs = (index: number, value: number): Argument => ({ index, value, op: "SCMP_CMP_NE" });
const masked = (index: number, value: number, valueTwo: number): Argument => ({
  index,
  value,
  valueTwo,
  op: "SCMP_CMP_MASKED_EQ",
});
/** The kernel reads 32 bits, and some libraries fill the others with the sign. */
const isCommand = (command: number) => masked(1, 0xff_ff_ff_ff, command);

/** The flags of `clone` that make new namespaces. */
const namespaceFlags = 0x7e_02_00_00;
const query = 0xff_ff_ff_ff;

/**
 * Of the signals that a container may be asked to stop by, that which no program sends. The number
 * is the same on amd64 and arm64.
 */
const reserved = { name: "SIGSYS", number: 31 } satisfies {
  name: ContainerSpec["stopSignal"];
  number: number;
};

/** Which argument is the signal, in each call that sends one. */
const sendersOfSignals = {
  kill: 1,
  tkill: 1,
  tgkill: 2,
  rt_sigqueueinfo: 1,
  rt_tgsigqueueinfo: 2,
  pidfd_send_signal: 1,
};

/**
 * F_SETSIG names a signal that the kernel is to send; F_GET_SEALS is the other command with this
 * last byte.
 */
const fileControl = { setSignal: 10, getSeals: 1034 };

/**
 * By which number each knows a process or thread, a process group, and all that a user has.
 */
const whose = { priority: [0, 1, 2], ioPriority: [1, 2, 3] } as const;

/** In the number of a process, which is less than 4 194 304, from the second one on. */
const bitsOfProcess = Array.from({ length: 21 }, (_, at) => 2 << at);

/** RLIMIT_LOCKS, which Linux does not use, and the cub does: lib/process/bid-mark.ts. */
const lockLimit = 10;

const allow = (names: readonly string[], ...args: Argument[]) => ({
  names,
  action: "SCMP_ACT_ALLOW",
  args,
});
const refuse = (names: readonly string[], errnoRet: number, ...args: Argument[]) => ({
  names,
  action: "SCMP_ACT_ERRNO",
  errnoRet,
  args,
});
const eperm = 1;
const enosys = 38;
const enotsup = 95;

const profile = {
  defaultAction: "SCMP_ACT_ERRNO",
  defaultErrnoRet: enosys,
  archMap: ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"].map((architecture) => ({
    architecture,
    subArchitectures: [],
  })),
  syscalls: [
    allow([files, memory, processes, events, sockets].flatMap(wordsOf)),
    ...[unix, ipv4, ipv6].map((family) => allow(["socket"], equals(0, family))),
    // With the protocol that lists this container's own addresses.
    allow(["socket"], equals(0, netlink), equals(2, 0)),
    allow(["socketpair"], equals(0, unix)),
    allow(["clone"], masked(0, namespaceFlags, 0)),
    ...[0, query].map((persona) => allow(["personality"], equals(0, persona))),
    ...signalRules(),
    ...schedulingRules(),
    ...allBut(ofFileSystems.owners).map(({ mask, value }) =>
      allow(["ioctl"], masked(1, mask << 8, value << 8)),
    ),
    ...ofFileSystems.allowed.map((command) => allow(["ioctl"], isCommand(command))),
    ...ofFileSystems.settingFlags.map((command) => refuse(["ioctl"], enotsup, isCommand(command))),
    refuse(wordsOf(attributes), enotsup),
    // Its flags are in memory, where a profile cannot look. Engines that do not know
    // `defaultErrnoRet` need to be given its number.
    refuse(["clone3"], enosys),
    refuse(wordsOf(refused), eperm),
  ],
};

/** As the Engine takes it in `SecurityOpt`. */
export const narrowSystemCalls = `seccomp=${JSON.stringify(profile)}`;

/**
 * The cub's signal reaches no process. Of a signal's number the kernel reads 32 bits; those beyond
 * the first eight are never set.
 */
function signalRules() {
  const calls = Object.entries(sendersOfSignals).flatMap(([name, index]) => [
    ...allBut([reserved.number]).map(({ mask, value }) =>
      allow([name], masked(index, mask, value)),
    ),
    refuse([name], eperm, masked(index, 0xff, reserved.number)),
  ]);
  const { setSignal, getSeals } = fileControl;
  return [
    ...calls,
    ...allBut([setSignal]).map(({ mask, value }) => allow(["fcntl"], masked(1, mask, value))),
    allow(["fcntl"], isCommand(getSeals)),
    refuse(["fcntl"], eperm, isCommand(setSignal)),
  ];
}

/**
 * A process may change its own calling thread (0). Back to the usual policy (0), it may set any: a
 * library does so for a new thread.
 */
function schedulingRules() {
  const [process, group, user] = whose.priority;
  const [ofProcess, ofGroup, ofUser] = whose.ioPriority;
  return [
    allow(["prlimit64"], equals(0, 0)),
    allow(["prlimit64"], differs(0, 0), equals(2, 0)),
    allow(["prlimit64"], differs(0, 0), differs(2, 0), equals(1, lockLimit)),
    refuse(["prlimit64"], eperm, differs(0, 0), differs(2, 0), differs(1, lockLimit)),
    allow(["sched_setscheduler"], equals(0, 0)),
    allow(["sched_setscheduler"], differs(0, 0), equals(1, 0)),
    refuse(["sched_setscheduler"], eperm, differs(0, 0), differs(1, 0)),
    allow(["sched_setattr"], equals(0, 0)),
    refuse(["sched_setattr"], eperm, differs(0, 0)),
    ...[process, group].map((kind) => allow(["setpriority"], equals(0, kind), equals(1, 0))),
    refuse(["setpriority"], eperm, equals(0, process), differs(1, 0)),
    // The cub lets the groups of its commands go after itself, and its own group is 1.
    ...bitsOfProcess.map((bit) => allow(["setpriority"], equals(0, group), masked(1, bit, bit))),
    refuse(["setpriority"], eperm, equals(0, group), equals(1, 1)),
    refuse(["setpriority"], eperm, equals(0, user)),
    ...[ofProcess, ofGroup].map((kind) => allow(["ioprio_set"], equals(0, kind), equals(1, 0))),
    ...[ofProcess, ofGroup].map((kind) =>
      refuse(["ioprio_set"], eperm, equals(0, kind), differs(1, 0)),
    ),
    refuse(["ioprio_set"], eperm, equals(0, ofUser)),
  ];
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/);
}

/**
 * Which bits of a byte must be which, in any of these ways, so that it is none of the values: a
 * profile knows no "not one of".
 */
function allBut(
  values: readonly number[],
  { mask, value } = { mask: 0, value: 0 },
  bit = 0x80,
): { mask: number; value: number }[] {
  const left = values.filter((each) => (each & mask) === value);
  if (left.length === 0) return [{ mask, value }];
  return bit === 0
    ? []
    : [0, bit].flatMap((one) => allBut(left, { mask: mask | bit, value: value | one }, bit >> 1));
}
