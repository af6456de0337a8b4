import { features } from '@portico/contract/features'
import type { Locator, Page } from '@playwright/test'
import { accessOf } from '../access.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { contacts, csvFile, exportedText } from '../contact-file.ts'
import { expectSmall } from '../first-load.ts'
import { powerAdmin } from '../iam-area.ts'
import { type Account, expect, makeAccount, makePerson, openScreen, type Person, signIn, test } from '../portal.ts'
import { choose, dialogOf, expectNoSideScroll, snackbar } from '../screens.ts'

let account: Account
let vera: Person

test.use({ timezoneId: 'UTC' })

test.beforeAll(async () => {
  account = await makeAccount('Juniper Trains')
  vera = await makeOwner('Vera', account)
})

/** A person of an account, which gets contacts and an export: without one there are no schedules to manage. */
async function makeOwner(name: string, of: Account): Promise<Person> {
  const person = await makePerson(name, { accounts: [of] })
  const api = await apiOf(person, of)
  await api.importFile('First leads', csvFile(contacts(20)), {})
  await api.makeExport('All leads', ['Email'])
  return person
}

const day = (daysAhead: number): string => new Date(Date.now() + daysAhead * 86_400_000).toISOString().slice(0, 10)

/** Creates a cron that exports emails every day at a time, from tomorrow on; returns its id. */
async function makeCron(name: string, cron = '30 9 * * *', by = vera, of = account): Promise<string> {
  const api = await apiOf(by, of)
  const { _id } = await api.post<{ _id: string }>('/scheduler/v1/crons', {
    consumerCode: 'EXPORT',
    name,
    notificationEmails: 'vera@example.com',
    cron,
    cronTZ: 'UTC',
    cronStart: day(1),
    cronRepeat: 300,
    instruction: { name, delimiter: 'csv', exportFields: ['Email'] },
  })
  return _id
}

async function openSchedules(page: Page, tab: 'Schedules' | 'Crons' = 'Schedules'): Promise<Locator> {
  await page.getByRole('button', { name: 'Manage Schedules' }).click()
  const dialog = dialogOf(page, 'Manage Schedules')
  await dialog.getByRole('tab', { name: tab }).click()
  return dialog
}

const cronRow = (dialog: Locator, name: string): Locator =>
  dialog.getByRole('row').filter({ has: dialog.page().getByRole('rowheader', { name }) })

const runButton = (dialog: Locator, name: string, status: string): Locator =>
  dialog.getByRole('button', { name: new RegExp(`^\\d+:\\d\\d [AP]M ${name}, ${status}$`) }).first()

test('an export is scheduled, runs now, is downloaded, and is terminated', async ({ page }) => {
  await signIn(page, vera)
  await openScreen(page, 'Exports')
  await page.getByRole('button', { name: 'NEW EXPORT' }).click()
  const form = dialogOf(page, 'New Export')
  await form.getByRole('textbox', { name: 'Export Name' }).fill('Nightly leads')
  await form.getByRole('button', { name: 'Schedule' }).click()
  const editor = dialogOf(page, 'Schedule')
  await expect(editor.getByRole('textbox', { name: 'Name' })).toHaveValue('Nightly leads')
  await editor.getByRole('button', { name: 'Submit' }).click()
  await expect(editor.getByText('Value is required!').first()).toBeVisible()
  await editor.getByRole('textbox', { name: 'Emails' }).fill('vera@example.com')
  await editor.getByText('Daily', { exact: true }).click()
  await choose(page, editor.getByRole('combobox', { name: 'Hour' }), '3:00 AM')
  await choose(page, editor.getByRole('combobox', { name: 'Offset' }), 'Schedule day')
  await editor.getByLabel('Start Date').fill(day(1))
  await editor.getByLabel('End Date').fill(day(20))
  const preview = editor.getByRole('region', { name: 'Next runs' })
  await expect(preview.getByRole('listitem')).toHaveCount(10)
  await expect(preview).toContainText('Every day at 3:00 AM, UTC time')
  await expect(preview).toContainText('takes that day up to 3:00 AM.')
  await expectAccessible(page)
  await editor.getByRole('button', { name: 'Submit' }).click()
  await expect(snackbar(page, "'Nightly leads' was scheduled.")).toBeVisible()

  const dialog = await openSchedules(page)
  await dialog.getByText('Day', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Next day' }).click()
  await expect(runButton(dialog, 'Nightly leads', 'waiting')).toBeVisible()

  await dialog.getByRole('tab', { name: 'Crons' }).click()
  await dialog.getByRole('button', { name: 'More for Nightly leads' }).click()
  await page.getByRole('menuitem', { name: 'Run now' }).click()
  await expect(snackbar(page, 'Nightly leads runs now.')).toBeVisible()
  await expect(cronRow(dialog, 'Nightly leads')).toContainText('completed', { timeout: 60_000 })

  await dialog.getByRole('tab', { name: 'Schedules' }).click()
  await dialog.getByText('Day', { exact: true }).click()
  await runButton(dialog, 'Nightly leads', 'completed').click()
  const card = dialogOf(page, 'Nightly leads')
  await expect(card.getByRole('list').getByText(/^completed: /)).toBeVisible()
  await expectAccessible(page)
  const download = page.waitForEvent('download')
  await card.getByRole('button', { name: 'Download' }).click()
  // No contact has an event today: the file has only its header.
  expect(await exportedText(await (await download).path())).toMatch(/^First Name,Last Name,Email,.*\r?\n$/)
  await card.getByRole('button', { name: 'Show cron' }).click()
  const view = dialogOf(page, 'Nightly leads').last()
  await expect(view.getByRole('region', { name: 'Schedules Information' })).toContainText('completed')
  await view.getByRole('button', { name: 'Close' }).last().click()
  await card.getByRole('button', { name: 'Close' }).click()

  await dialog.getByRole('tab', { name: 'Crons' }).click()
  await dialog.getByRole('button', { name: 'Terminate Nightly leads' }).click()
  const question =
    "Are you sure you want to terminate 'Nightly leads'? This will also terminate all existing and future schedules."
  await expect(page.getByText(question)).toBeVisible()
  await page.getByRole('button', { name: 'Terminate', exact: true }).click()
  await expect(snackbar(page, 'Nightly leads was terminated.')).toBeVisible()
  await expect(cronRow(dialog, 'Nightly leads')).toBeHidden()
  await dialog.getByText('Terminated', { exact: true }).click()
  await expect(cronRow(dialog, 'Nightly leads').getByRole('button')).toHaveCount(1)
})

test('a run is skipped, and a cron is paused and duplicated', async ({ page }) => {
  await makeCron('Morning leads')
  await signIn(page, vera)
  await openScreen(page, 'Exports')
  const dialog = await openSchedules(page)
  await dialog.getByText('Day', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Next day' }).click()
  await dialog.getByRole('button', { name: 'Next day' }).click()
  await runButton(dialog, 'Morning leads', 'upcoming').click()
  await dialogOf(page, 'Morning leads').getByRole('button', { name: 'Skip' }).click()
  await expect(runButton(dialog, 'Morning leads', 'terminated \\(skipped\\)')).toBeVisible()

  await dialog.getByRole('tab', { name: 'Crons' }).click()
  const menu = dialog.getByRole('button', { name: 'More for Morning leads', exact: true })
  await menu.click()
  await page.getByRole('menuitem', { name: 'Pause' }).click()
  await dialogOf(page, 'Pause Morning leads').getByRole('textbox', { name: 'Reason' }).fill('Holidays')
  await dialogOf(page, 'Pause Morning leads').getByRole('button', { name: 'Pause' }).click()
  await expect(cronRow(dialog, 'Morning leads')).toContainText('Paused: Holidays')
  await menu.click()
  await page.getByRole('menuitem', { name: 'Resume' }).click()
  await expect(cronRow(dialog, 'Morning leads')).not.toContainText('Paused')

  await menu.click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  const editor = dialogOf(page, 'Schedule').last()
  await expect(editor.getByRole('textbox', { name: 'Name' })).toHaveValue('Morning leads copy')
  await editor.getByLabel('Start Date').fill(day(2))
  await choose(page, editor.getByRole('combobox', { name: 'Offset' }), 'Last month')
  await editor.getByRole('button', { name: 'Submit' }).click()
  await expect(snackbar(page, 'Morning leads copy was added.')).toBeVisible()
  await expect(page.getByText("Are you sure you want to terminate 'Morning leads'?")).toBeVisible()
  await page.getByRole('button', { name: 'Terminate', exact: true }).click()
  await expect(cronRow(dialog, 'Morning leads copy')).toBeVisible()
  await expect(cronRow(dialog, 'Morning leads')).toHaveCount(1)
})

test('a day with 200 runs stays usable in the month, week and day views', async ({ page }) => {
  await makeCron('Every five', '*/5 * * * *')
  await signIn(page, vera)
  await openScreen(page, 'Exports')
  const dialog = await openSchedules(page)
  await dialog.getByText('Day', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Next day' }).click()
  await dialog.getByText('Month', { exact: true }).click()
  const more = dialog.getByRole('button', { name: /^\+2\d\d more on / }).first()
  await more.click()
  await expect(dialog.getByRole('radio', { name: 'Day' })).toBeChecked()
  await dialog.getByRole('button', { name: /^12:05 AM Every five, upcoming$/ }).click()
  await expect(dialogOf(page, 'Every five')).toBeVisible()
  await dialogOf(page, 'Every five').getByRole('button', { name: 'Close' }).click()
  await dialog.getByText('Week', { exact: true }).click()
  await dialog
    .getByRole('button', { name: /^\d+ runs from 12:00 AM$/ })
    .first()
    .click()
  await expect(dialog.getByRole('radio', { name: 'Day' })).toBeChecked()
})

test('the calendar, the crons and their editor are accessible', async ({ page }) => {
  const id = await makeCron('Looked at', '30 9 * * 1-5')
  await (await apiOf(vera, account)).post(`/scheduler/v1/crons/${id}/run`, {})
  await signIn(page, vera)
  await openScreen(page, 'Exports')
  const dialog = await openSchedules(page)
  for (const type of ['Week', 'Day', 'Month']) {
    await dialog.getByText(type, { exact: true }).click()
    await expect(dialog.getByRole('region', { name: 'Calendar' })).toHaveAttribute('aria-busy', 'false')
    await expectAccessibleInBothSchemes(page)
  }
  await dialog.getByRole('tab', { name: 'Crons' }).click()
  await expect(cronRow(dialog, 'Looked at')).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await dialog.getByRole('button', { name: 'View Looked at' }).click()
  await expect(page.getByRole('region', { name: 'Export Settings' })).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'Close' }).last().click()
  await dialog.getByRole('button', { name: 'Edit Looked at' }).click()
  await expect(page.getByRole('region', { name: 'Next runs' })).toBeVisible()
  // Its check mark would cover the name of the weekday.
  await expect(page.getByRole('checkbox', { name: 'Mon' })).toHaveCSS('opacity', '0')
  await expectAccessibleInBothSchemes(page)
})

test('the code of the scheduler loads with its dialogs, not with the screens that open them', async ({ page }) => {
  const files: string[] = []
  const parts =
    /manage-dialog|cron-editor|run-range-dialog|dashboard-schedules|use-windowed-dates|scheduler(-queries)?-[^/]{8}\.js/
  page.on('requestfinished', (request) => {
    if (/\.(js|css)$/.test(request.url()) && parts.test(request.url())) files.push(request.url())
  })
  await signIn(page, vera, undefined, '/contact-service/exports')
  await expect(page.getByRole('button', { name: 'Download All leads' })).toBeEnabled()
  expect(files).toEqual([])
  const dialog = await openSchedules(page)
  await expect(dialog.getByRole('region', { name: 'Calendar' })).toHaveAttribute('aria-busy', 'false')
  await expectSmall(files, 90_000)
})

test('a user without the rights sees whom to ask, for five seconds', async ({ page }) => {
  const wanda = await makePerson('Wanda', { accounts: [account], mayNothing: true })
  const access = await accessOf(powerAdmin, account)
  const actions = [features['contact-export-list'], features['contact-export-create'], features['contact-offers-list']]
  const policy = await access.makePolicy('Exports without schedules', actions)
  const group = await access.makeGroup('Exports without schedules', [policy])
  await (await accessOf(vera, account)).changeGroups(wanda.email, [group])
  await page.clock.install()
  await signIn(page, wanda)
  await openScreen(page, 'Exports')
  const button = page.getByRole('button', { name: 'Manage Schedules' })
  // It must be reachable to show why it is disabled.
  await button.click({ force: true })
  const told = page.getByRole('tooltip', { name: 'Contact your admin to see how you can get this feature.' })
  await expect(told).toBeVisible()
  await page.mouse.move(0, 0)
  await page.clock.fastForward('00:03')
  await expect(told).toBeVisible()
  await page.clock.fastForward('00:02')
  await expect(told).toBeHidden()
  await expect(dialogOf(page, 'Manage Schedules')).toBeHidden()
})

test('runs have the color of their status, and the calendar takes 70% of the height', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 1300 })
  // Without other runs in this hour, which would share its block.
  const quiet = await makeAccount('Larch Tram')
  const thora = await makeOwner('Thora', quiet)
  const id = await makeCron('Green leads', '30 9 * * *', thora, quiet)
  await (await apiOf(thora, quiet)).post(`/scheduler/v1/crons/${id}/run`, {})
  await signIn(page, thora, undefined, '/contact-service/exports')
  const dialog = await openSchedules(page)
  const calendar = dialog.getByRole('region', { name: 'Calendar' })
  const colorOf = (name: string): Promise<string> =>
    page.evaluate((variable) => {
      const probe = document.createElement('i')
      probe.style.color = `var(--mantine-${variable})`
      document.body.append(probe)
      const { color } = getComputedStyle(probe)
      probe.remove()
      return color
    }, name)
  await expect(runButton(dialog, 'Green leads', 'completed').locator('> div')).toHaveCSS(
    'border-inline-start-color',
    await colorOf('color-green-6'),
    { timeout: 60_000 },
  )
  const legend = dialog.getByRole('list', { name: 'Colours' }).getByRole('listitem')
  for (const [status, color] of [
    ['waiting', 'color-gray-6'],
    ['processing', 'primary-color-filled'],
    ['recovery', 'color-orange-6'],
    ['completed', 'color-green-6'],
    ['terminated', 'color-red-6'],
    ['upcoming', 'color-gray-4'],
  ] as const) {
    const dot = legend.filter({ hasText: status }).locator('span')
    await expect(dot, status).toHaveCSS('background-color', await colorOf(color))
  }
  const heights = await calendar
    .locator('*')
    .evaluateAll((parts) =>
      parts.filter((part) => getComputedStyle(part).maxHeight === '910px').map((part) => part.clientHeight),
    )
  expect(heights).toEqual([910])
})

test('on a phone the calendar is a list of days', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const id = await makeCron('Pocket leads')
  await signIn(page, vera, undefined, '/contact-service/exports')
  const dialog = await openSchedules(page)
  // Only jobs that end after a person's first visit are new to them.
  await (await apiOf(vera, account)).post(`/scheduler/v1/crons/${id}/run`, {})
  await dialog.getByRole('button', { name: /Pocket leads\s*completed/ }).click({ timeout: 60_000 })
  await expect(dialogOf(page, 'Pocket leads').getByRole('button', { name: 'Download' })).toBeVisible()
  // The bell's tooltip is longer while there are new jobs.
  await expect(page.getByRole('tooltip', { includeHidden: true, name: /new/ })).toBeAttached()
  await expectNoSideScroll(page)
  await expectAccessible(page)
  await dialogOf(page, 'Pocket leads').getByRole('button', { name: 'Close' }).click()
  await dialog.getByRole('tab', { name: 'Crons' }).click()
  await expect(cronRow(dialog, 'Pocket leads')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'More for Pocket leads' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await expect(page.getByRole('region', { name: 'Next runs' })).toBeVisible()
  await expectNoSideScroll(page)
})

test('the cron of a person who has left can be taken over, even on a phone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const leo = await makePerson('Leo', { accounts: [account] })
  await makeCron('Left behind', '30 9 * * *', leo)
  await (await accessOf(vera, account)).removeIdentity(leo.email)
  await signIn(page, vera, undefined, '/contact-service/exports')
  const dialog = await openSchedules(page, 'Crons')
  const more = dialog.getByRole('button', { name: 'More for Left behind' })
  await more.click()
  await expectAccessible(page)
  await page.getByRole('menuitem', { name: 'Take over' }).click()
  await expect(snackbar(page, 'Left behind now runs with your rights.')).toBeVisible()
  await expectNoSideScroll(page)
  await more.click()
  await expect(page.getByRole('menuitem', { name: 'Pause' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Take over' })).toHaveCount(0)
})
