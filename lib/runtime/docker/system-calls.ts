// Which system calls the processes of an agent may make: a seccomp profile, narrower than the one that Engines have by themselves.
//
// What is not in the lists answers "no such call" (ENOSYS), so that libraries fall back to what older kernels have. What a program asks for
// knowingly answers "not permitted" (EPERM). Beside what the Engine's own profile refuses, that is: looking into other processes, io_uring,
// kernel queues and semaphores that would outlive a grant, sockets of rare families, and programs for other instruction sets (32 bits).

const files = `access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fadvise64 fallocate fchdir
  fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fremovexattr fsetxattr fstat fstatfs fsync ftruncate
  futimesat getcwd getdents getdents64 getxattr getxattrat inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioctl lchown
  lgetxattr link linkat listxattr listxattrat llistxattr lremovexattr lseek lsetxattr lstat mkdir mkdirat mknod mknodat newfstatat open
  openat openat2 pipe pipe2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv removexattr
  removexattrat rename renameat renameat2 rmdir sendfile setxattr setxattrat splice stat statfs statx symlink symlinkat sync sync_file_range
  syncfs tee truncate umask unlink unlinkat utime utimensat utimes vmsplice write writev`;

const memory = `brk madvise map_shadow_stack membarrier memfd_create mincore mlock mlock2 mlockall mmap mprotect mremap mseal msync munlock
  munlockall munmap pkey_alloc pkey_free pkey_mprotect process_madvise process_mrelease remap_file_pages shmat shmctl shmdt shmget`;

const processes = `alarm arch_prctl capget capset clock_getres clock_gettime clock_nanosleep execve execveat exit exit_group fork futex
  futex_requeue futex_wait futex_waitv futex_wake get_robust_list getcpu getegid geteuid getgid getgroups getitimer getpgid getpgrp getpid
  getppid getpriority getrandom getresgid getresuid getrlimit getrusage getsid gettid gettimeofday getuid ioprio_get ioprio_set kill
  landlock_add_rule landlock_create_ruleset landlock_restrict_self nanosleep pause pidfd_open pidfd_send_signal prctl prlimit64
  restart_syscall rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait
  rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler
  sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp set_robust_list
  set_tid_address setfsgid setfsuid setgid setgroups setitimer setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid
  setuid sigaltstack sysinfo tgkill time timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create
  timerfd_gettime timerfd_settime times tkill uname vfork wait4 waitid`;

const events = `epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 io_cancel io_destroy io_getevents
  io_pgetevents io_setup io_submit poll ppoll pselect6 select signalfd signalfd4`;

const sockets = `accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg sendmsg sendto
  setsockopt shutdown`;

const refused = `add_key bpf chroot fsconfig fsmount fsopen fspick kcmp keyctl mount mount_setattr move_mount open_tree perf_event_open
  pidfd_getfd pivot_root process_vm_readv process_vm_writev ptrace request_key setns umount2 unshare userfaultfd`;

const [unix, ipv4, ipv6, netlink] = [1, 2, 10, 16];
/** `value`, where `op` compares with it; with a mask, `value` is the mask and `valueTwo` what remains. */
type Argument = { index: number; value: number; valueTwo?: number; op: "SCMP_CMP_EQ" | "SCMP_CMP_MASKED_EQ" };
const equals = (index: number, value: number): Argument => ({ index, value, op: "SCMP_CMP_EQ" });

/** The flags of `clone` that make new namespaces. */
const namespaceFlags = 0x7e_02_00_00;
const query = 0xff_ff_ff_ff;

const allow = (names: readonly string[], ...args: Argument[]) => ({ names, action: "SCMP_ACT_ALLOW", args });
const refuse = (names: readonly string[], errnoRet: number) => ({ names, action: "SCMP_ACT_ERRNO", errnoRet, args: [] });
const eperm = 1;
const enosys = 38;

const profile = {
  defaultAction: "SCMP_ACT_ERRNO",
  defaultErrnoRet: enosys,
  archMap: ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"].map((architecture) => ({ architecture, subArchitectures: [] })),
  syscalls: [
    allow([files, memory, processes, events, sockets].flatMap(wordsOf)),
    ...[unix, ipv4, ipv6].map((family) => allow(["socket"], equals(0, family))),
    // With the protocol that lists this container's own addresses.
    allow(["socket"], equals(0, netlink), equals(2, 0)),
    allow(["socketpair"], equals(0, unix)),
    allow(["clone"], { index: 0, value: namespaceFlags, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }),
    ...[0, query].map((persona) => allow(["personality"], equals(0, persona))),
    // Its flags are in memory, where a profile cannot look. Engines that do not know `defaultErrnoRet` need to be given its number.
    refuse(["clone3"], enosys),
    refuse(wordsOf(refused), eperm),
  ],
};

/** As the Engine takes it in `SecurityOpt`. */
export const narrowSystemCalls = `seccomp=${JSON.stringify(profile)}`;

function wordsOf(text: string): string[] {
  return text.split(/\s+/);
}
