import type { Config } from '#platform/config.ts'

/** Prints a summary after the start: URL, sign-in and data folder. */
export function printGreeting(
  config: Config,
  options: { firstSignIn: { email: string; password: string } | null; logFile: string | undefined },
): void {
  const lines: [string, string][] = []
  if (config.role !== 'worker') lines.push(['Open', config.publicUrl])
  if (options.firstSignIn) {
    lines.push(
      ['Sign in as', options.firstSignIn.email],
      ['Password', `${options.firstSignIn.password}   (shown once; you choose your own when you sign in)`],
    )
  } else lines.push(['Sign in as', `${config.adminEmail}, or any user you have invited`])
  lines.push(['Runs', { all: 'web and worker', api: 'web', worker: 'worker' }[config.role]])
  lines.push(['Data', config.databaseUrl ? `${config.dataDir}, and the database of DATABASE_URL` : config.dataDir])
  if (options.logFile) lines.push(['Log', options.logFile])
  lines.push(['Stop', 'Ctrl-C'])
  const width = Math.max(...lines.map(([label]) => label.length))
  const text = lines.map(([label, value]) => `  ${label.padEnd(width)}   ${value}`).join('\n')
  process.stdout.write(`\n  ${config.product} is running.\n\n${text}\n\n`)
}
