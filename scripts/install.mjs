import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root, run, Trouble } from './run.mjs'

/** Installs the packages of package-lock.json, unless they are installed. */
export async function install() {
  if (isInstalled(root)) return
  console.log('Installing…')
  // The build needs development packages too, even with NODE_ENV=production.
  const code = await run('npm', [
    'ci',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--include=dev',
    '--include=optional',
  ])
  if (code !== 0) throw new Trouble('The installation failed; see the output of npm above.')
  keep(join(root, installedMark), lockHash(root))
}

/** Builds the web app and the page script, unless the build is up to date. */
export async function build() {
  if (isBuilt(root)) return
  console.log('Building…')
  if ((await rebuild()) !== 0) throw new Trouble('The build failed; see the output above.')
}

/** Always builds the web app and the page script; resolves to the exit code. */
export async function rebuild() {
  // Hashed before the build: changes during the build then trigger the next one.
  const hash = sourceHash(root)
  const code = await run('npm', ['run', 'build', '--silent'], { NODE_ENV: 'production' })
  if (code === 0) keep(join(root, builtMark), hash)
  return code
}

const installedMark = 'node_modules/.portico-lock'
const builtMark = 'web/dist/.built'

/** Builds the page script only, which the server serves as a file; resolves to the exit code. */
export const buildPageScript = () => run('npm', ['run', 'build', '--silent', '--workspace', 'page-script'])

/** @param {string} folder the repository's root */
export function isInstalled(folder) {
  const mark = read(join(folder, installedMark))
  const hash = lockHash(folder)
  if (mark === hash) return true
  // Installed on another system, such as a container that shares the folder: its programs do not run here.
  if (mark !== null && mark.split(' ')[1] !== hash.split(' ')[1]) return false
  // npm writes this file at the end of an install, so `npm install` or `npm ci` was run by hand.
  const byHand = modifiedMs(join(folder, 'node_modules', '.package-lock.json'))
  if (byHand === null || byHand < (modifiedMs(join(folder, 'package-lock.json')) ?? 0)) return false
  keep(join(folder, installedMark), hash)
  return true
}

/** @param {string} folder the repository's root */
export function isBuilt(folder) {
  return read(join(folder, builtMark)) === sourceHash(folder)
}

/** @param {string} folder */
function lockHash(folder) {
  const hash = createHash('sha256').update(readFileSync(join(folder, 'package-lock.json')))
  return `${hash.digest('hex')} ${process.platform}-${process.arch}`
}

/**
 * Hashes all sources of the web app and the page script.
 * @param {string} folder the repository's root
 */
export function sourceHash(folder) {
  const folders = ['web', 'page-script', 'contract/src', 'domain/src'].map((name) => join(folder, name))
  const files = folders.flatMap(filesBelow).sort()
  const hash = createHash('sha256')
  for (const file of [...files, join(folder, 'package-lock.json')]) {
    const content = readFileSync(file)
    hash.update(`${relative(folder, file)}\n${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

const notSource = ['dist', 'node_modules', 'test']

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (notSource.includes(entry.name)) return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}

/** @param {string} file */
function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null
}

/** @param {string} file */
function modifiedMs(file) {
  return existsSync(file) ? statSync(file).mtimeMs : null
}

/**
 * Stores a mark that saves work at the next start; skipped in a read-only repository.
 * @param {string} file
 * @param {string} text
 */
function keep(file, text) {
  try {
    writeFileSync(file, `${text}\n`)
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error))) throw error
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
