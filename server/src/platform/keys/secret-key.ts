import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, listOf, read } from '../settings/config-values.ts'
import type { KeyRing } from './key-ring.ts'

const secretKeyMinLength = 32

/** Returns the installation's secret, and those listed in `SECRET_KEY_OLD`. */
export function readKeyRing(env: NodeJS.ProcessEnv, dataDir: string): KeyRing {
  const old = listOf(read(env, 'SECRET_KEY_OLD'))
  const short = old.find((key) => key.length < secretKeyMinLength)
  if (short !== undefined) {
    const message = `each at least ${secretKeyMinLength} characters long, separated by commas; one has ${short.length}`
    throw new ConfigError(`SECRET_KEY_OLD must be earlier secrets, ${message}.`)
  }
  return [readSecretKey(env, dataDir), ...old]
}

/**
 * Returns the installation's secret: the setting, or else that of the data folder, which is created if there is none.
 */
function readSecretKey(env: NodeJS.ProcessEnv, dataDir: string): string {
  const value = read(env, 'SECRET_KEY')
  if (value === null) return keptSecretKey(dataDir)
  if (value.length < secretKeyMinLength)
    throw new ConfigError(`SECRET_KEY must be at least ${secretKeyMinLength} characters long, not ${value.length}.`)
  return value
}

function keptSecretKey(dataDir: string): string {
  const file = join(dataDir, 'secret-key')
  let key: string
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeOnce(file, `${randomBytes(32).toString('base64url')}\n`)
    key = readFileSync(file, 'utf8').trim()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`DATA_DIR must be a writable folder: ${reason}.`)
  }
  if (key.length >= secretKeyMinLength) return key
  throw new ConfigError(
    `SECRET_KEY must be set, because ${file} has no key of at least ${secretKeyMinLength} characters.`,
  )
}

function writeOnce(file: string, text: string): void {
  if (existsSync(file)) return
  // Linked only once complete: of two processes that start together, one creates the key, and both read all of it.
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, text, { mode: 0o600 })
  try {
    linkSync(unfinished, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    unlinkSync(unfinished)
  }
}
