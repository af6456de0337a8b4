import type { Dashboard } from '@portico/contract/dashboards'
import type { Page } from '@playwright/test'
import { expectAccessible } from '../accessibility.ts'
import type { Client } from '../api.ts'
import { cellOf, chooseBar } from '../dashboards.ts'
import { accountOfEveryCell, type Check, close, openEveryCell, testInEachScheme } from '../every-cell.ts'
import { type Account, expect, test } from '../portal.ts'
import { choose, dialogOf } from '../screens.ts'

let account: Account
let api: Client

test.beforeAll(async () => {
  ;({ account, api } = await accountOfEveryCell('Glass Harbor'))
})

async function checkViews(page: Page, check: Check): Promise<void> {
  await check('view')
  await page.getByRole('combobox', { name: 'Dashboard' }).click()
  await check('picker')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'More about this dashboard' }).click()
  await expect(page.getByRole('menuitem', { name: 'Versions' })).toBeVisible()
  await check('menu of the dashboard')
  await page.getByRole('menuitem', { name: 'Versions' }).click()
  await expect(dialogOf(page, 'Versions').getByText('Version 1')).toBeVisible()
  await check('versions')
  await page.keyboard.press('Escape')
  const menu = cellOf(page, 'Cities').getByRole('button', { name: 'Menu of Cities' })
  await menu.click()
  await expect(page.getByRole('menuitem', { name: 'Export' })).toBeVisible()
  await check('menu of a cell')
  await page.getByRole('menuitem', { name: 'Export' }).click()
  await check('export')
  await close(dialogOf(page, 'Export These Results'))
  await chooseBar(page, 1)
  await expect(page.getByRole('region', { name: 'Active filters' })).toContainText('Denver')
  await check('narrowed')
  await cellOf(page, 'Members').getByRole('button', { name: 'Menu of Members' }).click()
  await page.getByRole('menuitem', { name: 'Save as a filter' }).click()
  await check('save as a filter')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await cellOf(page, 'Cities').getByRole('button', { name: 'Show as table' }).click()
  await cellOf(page, 'Which city').getByRole('button', { name: 'Which city: All' }).click()
  await expect(page.getByRole('checkbox', { name: /Lisbon/ })).toBeVisible()
  await check('chart as table, and dropdown')
  await page.keyboard.press('Escape')
  await cellOf(page, 'When').getByRole('button').first().click()
  await expect(page.getByRole('button', { name: 'Apply' })).toBeVisible()
  await check('date picker')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Reset' }).click()
  await cellOf(page, 'City list').getByRole('button', { name: 'Denver' }).click()
  const events = dialogOf(page, 'Events')
  await events
    .getByRole('button', { name: /^Expand/ })
    .first()
    .click()
  await check('events')
  await events.getByRole('button', { name: 'Close', exact: true }).last().click()
  await page.getByRole('button', { name: 'More about this dashboard' }).click()
  await page.getByRole('menuitem', { name: 'Full screen' }).click()
  await expect(page.getByRole('combobox', { name: 'Refresh' })).toBeVisible()
  await check('full screen')
  await page.getByRole('button', { name: 'Exit full screen' }).click()
  await page.evaluate(() => (window.print = () => document.body.setAttribute('data-printed', '')))
  await page.getByRole('button', { name: 'More about this dashboard' }).click()
  await page.getByRole('menuitem', { name: 'Print' }).click()
  await expect(page.locator('body')).toHaveAttribute('data-printed', '')
  // Printed pages are light.
  await test.step('print', () => expectAccessible(page))
  await page.getByRole('button', { name: 'Back to the dashboard' }).click()
}

async function checkSaving(page: Page, check: Check, saved: Dashboard): Promise<void> {
  await page.getByRole('button', { name: 'New', exact: true }).click()
  const made = dialogOf(page, 'New Dashboard')
  await expect(made.getByRole('radio', { name: 'Places' })).toBeEnabled()
  for (const list of ['parent accounts', 'accounts', 'users']) {
    await choose(page, made.getByRole('combobox', { name: `Share with ${list}` }), `Custom ${list}`)
  }
  await made.getByRole('combobox', { name: 'Emails' }).fill('no-address')
  await made.getByRole('button', { name: 'Create' }).click()
  await expect(made.getByText('Value is required!').first()).toBeVisible()
  await check('new, with problems')
  await made.getByRole('combobox', { name: 'Tags' }).click()
  await check('tags')
  await page.keyboard.press('Escape')
  await close(made)
  await page.getByRole('button', { name: 'Clone' }).click()
  await check('clone')
  await close(dialogOf(page, 'Clone Dashboard'))
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await check('delete')
  await close(dialogOf(page, 'Delete Dashboard'))
  const { name, tags, sharedWith, definition } = saved
  await api.put(`/contact-service/v1/dashboards/${saved._id}`, { name: `${name} again`, tags, sharedWith, definition })
  await page.getByRole('button', { name: 'Update' }).click()
  const update = dialogOf(page, 'Update Dashboard')
  await update.getByRole('button', { name: 'Save' }).click()
  await expect(update.getByRole('button', { name: 'Save over it' })).toBeVisible()
  await check('update, refused')
  await close(update)
}

testInEachScheme(
  'every dialog and state of a dashboard that is viewed or saved is accessible',
  async ({ page, trouble, check }) => {
    const saved = await openEveryCell(page, trouble, account, api)
    trouble.expect(`409 PUT /api/contact-service/v1/dashboards/${saved._id}`)
    await checkViews(page, check)
    await checkSaving(page, check, saved)
  },
)
