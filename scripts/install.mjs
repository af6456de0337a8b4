import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root, run, Trouble } from './run.mjs'

/** Installs what package-lock.json names, unless that is installed already. */
export async function install() {
  if (isInstalled(root)) return
  console.log('Installing…')
  // The build needs the development packages too, whatever NODE_ENV says.
  const code = await run('npm', [
    'ci',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--include=dev',
    '--include=optional',
  ])
  if (code !== 0) throw new Trouble('Installing failed; npm says why above.')
  keep(join(root, installedMark), lockHash(root))
}

/** Builds the web app, unless this very source is built already. */
export async function build() {
  if (isBuilt(root)) return
  console.log('Building…')
  if ((await rebuild()) !== 0) throw new Trouble('Building the web app failed; the reason is above.')
}

/** Builds the web app in any case; resolves to the exit code. */
export async function rebuild() {
  // Before the build: what is changed while it runs has to be built the next time.
  const hash = sourceHash(root)
  const code = await run('npm', ['run', 'build', '--silent'], { NODE_ENV: 'production' })
  if (code === 0) keep(join(root, builtMark), hash)
  return code
}

const installedMark = 'node_modules/.portico-lock'
const builtMark = 'web/dist/.built'

/** @param {string} folder the repository's root */
export function isInstalled(folder) {
  const mark = read(join(folder, installedMark))
  const hash = lockHash(folder)
  if (mark === hash) return true
  // Made on another system, as when a folder is shared with a container: the programs in it do not run here.
  if (mark !== null && mark.split(' ')[1] !== hash.split(' ')[1]) return false
  // npm writes this file when an install is complete, so a person has run `npm install` or `npm ci`.
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
 * Of everything that the built web app is made from.
 * @param {string} folder the repository's root
 */
export function sourceHash(folder) {
  const files = [...filesBelow(join(folder, 'web')), ...filesBelow(join(folder, 'contract', 'src'))].sort()
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
 * Saves work the next time; where the repository is read-only that is done again instead.
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
