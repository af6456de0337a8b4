import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from './run.mjs'

/** Returns the path of Chromium for the browser tests, installing it if possible; null if there is none. */
export async function findChromium() {
  const found = installed()
  if (found || !canInstall()) return found
  console.log('Installing Chromium for the browser tests…')
  const apt = { DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['update', '-qq'], apt)
  await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], apt)
  return installed()
}

function installed() {
  const chosen = process.env['CHROMIUM_PATH']
  if (chosen) return existsSync(chosen) ? chosen : null
  return inPath('chromium') ?? inPath('chromium-browser') ?? inPath('google-chrome')
}

function canInstall() {
  return !process.env['CHROMIUM_PATH'] && process.getuid?.() === 0 && inPath('apt-get') !== null
}

/** @param {string} program */
function inPath(program) {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, program)).find(isProgram) ?? null
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
