import { Command, CommanderError } from 'commander'
import { AppError } from '#platform/app-error.ts'
import { ConfigError } from '#platform/config.ts'
import { inOneLine } from '#platform/texts/in-one-line.ts'
import { accountCommands, groupCommands } from './account-commands.ts'
import { identityCommands, personCommands, sessionCommands, twoFactorCommands } from './people-commands.ts'
import { secretCommands } from './secrets-commands.ts'
import { commandContext, type Terminal } from './terminal.ts'

const exitFailure = 1
const exitUsage = 2

/** Runs the command in the arguments, and returns the exit code of the process. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = newProgram(terminal)
  const context = commandContext(terminal)
  const commands = [
    accountCommands,
    groupCommands,
    identityCommands,
    personCommands,
    sessionCommands,
    twoFactorCommands,
  ]
  for (const add of [...commands, secretCommands]) add(program, context)
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has already printed the error or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitUsage
    terminal.writeError(`${inOneLine(describeFailure(error))}\n`)
    return exitFailure
  }
}

function newProgram({ writeError, writeOut }: Terminal): Command {
  return (
    new Command('portico')
      .description('Manages the accounts, groups and identities of a portal.')
      .addHelpText(
        'after',
        `
Each command prints one line of JSON per result. Errors are one line on standard error, with exit code ${exitFailure}
(${exitUsage} for incorrect usage). The portal may be running or not. The database is DATABASE_URL, or else the one in
DATA_DIR (./data). "npm run --silent portico" omits the output of npm.

Examples:
  portico accounts create --name "Example Company"
  portico accounts create --name "Example Company North" --parent 1 --time-zone Europe/Zurich
  portico accounts list
  portico accounts rename --account 2 --name "Example Company South"
  portico accounts suspend --account 2
  portico groups create --account 1 --name "Analysts" --policy "Read contacts" --policy "Exports"
  portico identities create --email ada@example.com --account 1 --power-user
  portico identities create --email root@example.com --password-stdin < password.txt
  portico identities reset-two-factor --email ada@example.com
  portico persons conflicts
  portico persons change-email --id 01890a5d-ac96-774b-bcce-b302099a8057 --email ada@example.com
  portico sessions end-all
  portico two-factor require power-admins
  portico secrets re-encrypt
  portico secrets replace-lost-key`,
      )
      // Otherwise commander always exits with code 1.
      .exitOverride()
      // Errors are one line.
      .showSuggestionAfterError(false)
      .configureOutput({ writeErr: writeError, writeOut })
  )
}

/** Returns the error as one line for the terminal. */
function describeFailure(error: unknown): string {
  if (error instanceof AppError || error instanceof ConfigError) return error.message
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') return `The database cannot be reached (${code}).`
  return String(error)
}
