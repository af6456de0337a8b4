import type { Locator } from '@playwright/test'
import { apiOf } from '../api.ts'
import { contacts, csvFile } from '../contact-file.ts'
import { tabTo } from '../keyboard.ts'
import { expect, makeAccount, makePerson, signIn, test } from '../portal.ts'
import { dialogOf, snackbar } from '../screens.ts'

test.use({ timezoneId: 'UTC' })

const day = (daysAhead: number): string => new Date(Date.now() + daysAhead * 86_400_000).toISOString().slice(0, 10)

test('the calendar and both dialogs work by keyboard alone', async ({ page }) => {
  const account = await makeAccount('Spruce Ferries')
  const nora = await makePerson('Nora', { accounts: [account] })
  const api = await apiOf(nora, account)
  await api.importFile('First leads', csvFile(contacts(5)), {})
  await api.makeExport('All leads', ['Email'])
  await api.post('/scheduler/v1/crons', {
    consumerCode: 'EXPORT',
    name: 'Keyed leads',
    notificationEmails: 'nora@example.com',
    cron: '15 10 * * *',
    cronTZ: 'UTC',
    cronStart: day(1),
    cronRepeat: 300,
    instruction: { name: 'Keyed leads', delimiter: 'csv', exportFields: ['Email'] },
  })
  await signIn(page, nora, undefined, '/contact-service/exports')
  await tabTo(page, page.getByRole('button', { name: 'Manage Schedules' }))
  await page.keyboard.press('Enter')
  const dialog = dialogOf(page, 'Manage Schedules')
  const calendar = dialog.getByRole('region', { name: 'Calendar' })
  await expect(calendar).toHaveAttribute('aria-busy', 'false')

  await tabTo(page, dialog.getByRole('radio', { name: 'Week' }))
  await page.keyboard.press('ArrowLeft')
  await expect(dialog.getByRole('radio', { name: 'Month' })).toBeChecked()
  await tabTo(page, dialog.getByRole('button', { name: 'Next month' }))
  await page.keyboard.press('Enter')
  const next = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 1))
  const dayButton = (date: number): Locator => {
    const text = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', dateStyle: 'full' })
    return calendar.getByRole('button', { name: `${text.format(next.getTime() + (date - 1) * 86_400_000)}, 1 run` })
  }
  await expect(dayButton(8)).toBeVisible()
  await tabTo(page, calendar.locator('button[tabindex="0"]').first())
  await page.keyboard.press('ArrowDown')
  await tabTo(page, dayButton(16), 'ArrowRight')
  await page.keyboard.press('ArrowUp')
  await expect(dayButton(9)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('radio', { name: 'Day' })).toBeChecked()

  const run = calendar.getByRole('button', { name: '10:15 AM Keyed leads, upcoming' })
  // The month shows one for each day, and stays until the day has loaded.
  await expect(run).toHaveCount(1)
  await tabTo(page, run)
  await page.keyboard.press('Enter')
  const card = dialogOf(page, 'Keyed leads')
  await tabTo(page, card.getByRole('button', { name: 'Skip' }))
  await page.keyboard.press('Escape')
  await expect(card).toBeHidden()
  await expect(run).toBeFocused()

  await tabTo(page, dialog.getByRole('tab', { name: 'Schedules' }), 'Shift+Tab')
  await page.keyboard.press('ArrowRight')
  await tabTo(page, dialog.getByRole('button', { name: 'Edit Keyed leads' }))
  await page.keyboard.press('Enter')
  await expect(card.getByRole('textbox', { name: 'Name' })).toBeFocused()
  await page.keyboard.press('End')
  await page.keyboard.type(' of Nora')
  await tabTo(page, card.getByRole('button', { name: 'Submit' }))
  await page.keyboard.press('Enter')
  await expect(snackbar(page, 'Keyed leads of Nora changes were saved.')).toBeVisible()
})
