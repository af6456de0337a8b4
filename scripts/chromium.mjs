import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from './run.mjs'

/** Chromium without windows, and without a back/forward cache: browser tests take a third less time with it. */
const headlessShell = 'chromium-headless-shell'
const browsers = ['chromium', 'chromium-browser', 'google-chrome']

/** Returns the path of a Chromium for the browser tests, installing one if possible; null if there is none. */
export async function findChromium() {
  if (canInstall() && !(inPath(headlessShell) && installedBrowser())) {
    console.log('Installing Chromium for the browser tests…')
    const apt = { DEBIAN_FRONTEND: 'noninteractive' }
    await run('apt-get', ['update', '-qq'], apt)
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium', headlessShell], apt)
  }
  return installedChromium()
}

/** Returns the path of the fastest Chromium for tests, which may be the headless shell; null if there is none. */
export function installedChromium() {
  return chosenOr([headlessShell, ...browsers])
}

/** Returns the path of a Chromium with all of a browser's features; null if there is none. */
export function installedBrowser() {
  return chosenOr(browsers)
}

/**
 * Returns the program that the user chose, or else the first that is installed.
 * @param {string[]} programs
 */
function chosenOr(programs) {
  const chosen = process.env['CHROMIUM_PATH']
  if (chosen) return existsSync(chosen) ? chosen : null
  return programs.map(inPath).find((path) => path !== null) ?? null
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
