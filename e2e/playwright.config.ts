import { defineConfig } from '@playwright/test'
import { installedChromium } from '../scripts/chromium.mjs'

/** Chromium flags for containers, without background activity. */
const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

// Workers read this file again, after the server has reported its URL.
const portalUrl = process.env['PORTICO_E2E_URL']

export default defineConfig({
  testDir: 'tests',
  outputDir: '../test-results',
  forbidOnly: true,
  // The number of cores of a small machine. With three, each test takes twice as long, and the total is no shorter.
  workers: 2,
  // A busy machine may be too slow once; the report lists tests that needed a retry.
  retries: 1,
  // Generous, as machines that run tests are often busy; a test that hangs still ends.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  webServer: {
    name: 'portal',
    command: `"${process.execPath}" serve.ts`,
    wait: {
      stdout: /portal: (?<portico_e2e_url>\S+) data: (?<portico_e2e_data>\S+) database: (?<portico_e2e_database>\S+)/,
    },
    timeout: 180_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 30_000 },
  },
  use: {
    ...(portalUrl && { baseURL: portalUrl }),
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'America/New_York',
    colorScheme: 'light',
    actionTimeout: 30_000,
    // Only for retries, as recording takes a quarter of the time. Page snapshots are sufficient.
    trace: { mode: 'on-first-retry', screenshots: false },
    launchOptions: { executablePath: installedChromium() ?? '/usr/bin/chromium', args: chromiumArguments },
  },
})
