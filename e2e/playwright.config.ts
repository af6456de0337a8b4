import { defineConfig } from '@playwright/test'

/** Neither sandbox nor screen in a container; and nothing that Chromium does on its own account. */
const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

// The workers read this file again, when the server has said where it is.
const portalUrl = process.env['PORTICO_E2E_URL']

export default defineConfig({
  testDir: 'tests',
  outputDir: '../test-results',
  forbidOnly: true,
  // One more than the processors of a small machine: pages mostly wait for the portal.
  workers: 3,
  // A machine that is busy with other things may be too slow once; the report tells which tests needed a second attempt.
  retries: 1,
  // Generous, since machines that run tests are often busy; a test that hangs still ends.
  timeout: 90_000,
  expect: { timeout: 20_000 },
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
    actionTimeout: 20_000,
    // Of the second attempt alone: recording takes a quarter of the time. Its snapshots of the page tell enough.
    trace: { mode: 'on-first-retry', screenshots: false },
    launchOptions: { executablePath: process.env['CHROMIUM_PATH'] || '/usr/bin/chromium', args: chromiumArguments },
  },
})
