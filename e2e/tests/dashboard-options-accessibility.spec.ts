import type { Page } from '@playwright/test'
import type { Client } from '../api.ts'
import { accountOfEveryCell, type Check, close, openEveryCell, startEditing, testInEachScheme } from '../every-cell.ts'
import { type Account, expect, test } from '../portal.ts'
import { choose, dialogOf } from '../screens.ts'

let account: Account
let api: Client

test.beforeAll(async () => {
  ;({ account, api } = await accountOfEveryCell('Chalk Harbor'))
})

async function checkOptions(page: Page, check: Check): Promise<void> {
  await page.getByRole('button', { name: 'Configure Cities' }).click()
  const configuration = dialogOf(page, 'Chart Configuration')
  const options = dialogOf(page, 'Chart Options')
  for (const [kind, own] of [
    ['Bar chart', null],
    ['Donut chart', 'Donut'],
    ['Geo chart', 'Geo'],
  ] as const) {
    await choose(page, configuration.getByRole('combobox', { name: 'Type', exact: true }), kind)
    await configuration.getByRole('button', { name: 'Edit options' }).click()
    await expect(options.getByRole('tab').first()).toBeVisible()
    for (const tab of await options.getByRole('tab', { ...(own && { name: own }) }).all()) {
      await tab.click()
      await check(`options of a ${kind}: ${await tab.innerText()}`)
    }
    await close(options)
  }
  await configuration.getByRole('combobox', { name: 'Type', exact: true }).click()
  await page.getByRole('option', { name: 'KPI', exact: true }).click()
  await expect(page.getByText('This change will reset your filter.')).toBeVisible()
  await check('change of the type')
  await page.getByRole('button', { name: 'No', exact: true }).click()
  await close(configuration)
}

async function checkColumns(page: Page, check: Check): Promise<void> {
  await page.getByRole('button', { name: 'Configure Sums' }).click()
  const configuration = dialogOf(page, 'Chart Configuration')
  await configuration.getByRole('button', { name: 'Edit calculated columns' }).click()
  const dialog = dialogOf(page, 'Calculated Columns')
  await choose(page, dialog.getByRole('combobox', { name: 'Fixed text' }), 'Text before')
  await choose(page, dialog.getByRole('combobox', { name: 'Position' }), 'Before a column')
  await dialog.getByRole('button', { name: 'Add calculated column' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Value is required!').first()).toBeVisible()
  await check('calculated columns, with problems')
  await dialog.getByRole('button', { name: 'Remove Column 2' }).click()
  await expect(page.getByText('Are you sure?')).toBeVisible()
  await check('removal of a calculated column')
  await page.getByRole('button', { name: 'No', exact: true }).click()
  await close(dialog)
  await close(configuration)
}

testInEachScheme(
  'every dialog and state of chart options and calculated columns is accessible',
  async ({ page, trouble, check }) => {
    await openEveryCell(page, trouble, account, api)
    await startEditing(page)
    await checkOptions(page, check)
    await checkColumns(page, check)
    await page.getByRole('button', { name: 'Delete Members' }).click()
    await page.getByRole('link', { name: 'Imports' }).click()
    await expect(page.getByText('Do you really want to leave?')).toBeVisible()
    await check('unsaved changes')
  },
)
