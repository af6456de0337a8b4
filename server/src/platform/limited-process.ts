const compiled = process.env['NODE_COMPILE_CACHE']

/**
 * The environment of a process that reads files or messages of strangers: none of our secrets. The folder of compiled
 * code, if there is one, makes it start twice as fast.
 */
export const bareEnvironment = {
  PATH: '/usr/bin:/bin',
  ...(compiled !== undefined && { NODE_COMPILE_CACHE: compiled }),
}

type Program = {
  path: string
  dataBytes: number
  /** Returns whether the program starts with this command. Called once, before the first use. */
  startsBy: (command: readonly string[]) => Promise<boolean>
  /** Called when there is no limit. */
  onUnlimited: () => void
}

/**
 * Returns a function that gives the command and arguments to start a program of ours in a separate process. If the
 * system has `prlimit` and Node.js starts under it, memory (`RLIMIT_DATA`) and processor time are limited: only limits
 * of a process bind native code. The limit of processor time also ends the process if ours is killed.
 */
export function limitedCommand({ path, dataBytes, startsBy, onUnlimited }: Program) {
  const node = [process.execPath, ...process.execArgv, path]
  const limits = (ms: number) => ['prlimit', `--data=${dataBytes}`, `--cpu=${Math.ceil(ms / 1000)}`, '--core=0', '--']
  let isLimited: Promise<boolean> | undefined
  return async (ms: number): Promise<[string, ...string[]]> => {
    isLimited ??= startsBy([...limits(ms), ...node]).then((starts) => {
      if (!starts) onUnlimited()
      return starts
    })
    const [command = '', ...args] = (await isLimited) ? [...limits(ms), ...node] : node
    return [command, ...args]
  }
}
