import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, read } from './config-values.ts'

const secretKeyMinLength = 32

/** The installation's secret; the one of the data folder, created if there is none, unless one is set. */
export function readSecretKey(env: NodeJS.ProcessEnv, dataDir: string): string {
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
    mkdirSync(dataDir, { recursive: true })
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
  // Linked when it is complete: of two processes that start together one creates the key, and both read all of it.
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
