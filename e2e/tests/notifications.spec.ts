import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { contacts, csvFile } from '../contact-file.ts'
import { expect, makeAccount, makePerson, openScreen, type Person, signIn, test } from '../portal.ts'
import { verifySender } from '../mailbox.ts'
import { choose, detailsOf, dialogOf, rowOf } from '../screens.ts'

let tilda: Person

test.beforeAll(async () => {
  const account = await makeAccount('Sable Fabrics')
  tilda = await makePerson('Thilde', { accounts: [account] })
  const api = await apiOf(tilda, account)
  await api.importFile('First leads', csvFile(contacts(3)), {})
  await verifySender(api, 'sales@example.com')
})

test('an email is entered, validated while typing, tested for real, and sent when the export has ended', async ({
  page,
}) => {
  await signIn(page, tilda)
  await openScreen(page, 'Exports')
  await page.getByRole('button', { name: 'NEW EXPORT' }).click()
  const form = dialogOf(page, 'New Export')
  await form.getByRole('textbox', { name: 'Export Name' }).fill('Told by mail')
  const opener = form.getByRole('button', { name: 'Set notifications' })
  await opener.hover()
  await expect(page.getByText('click to set notifications')).toBeVisible()
  await opener.click()
  const dialog = dialogOf(page, 'Notifications')
  await expect(dialog.getByRole('tab')).toHaveText(['Email', 'HTTP', 'SFTP'])
  const from = dialog.getByRole('textbox', { name: 'From', exact: true })
  await from.fill('no-address')
  await expect(from).toHaveAccessibleDescription('Invalid email address!')
  await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled()
  await from.fill('boss@example.com')
  await expect(from).toHaveAccessibleDescription(
    'boss@example.com is not a verified sender. A power user can verify it in Preferences.',
  )
  await from.fill('sales@example.com')
  const to = dialog.getByRole('textbox', { name: 'To' })
  await to.fill('a@example.com, b')
  await expect(to).toHaveAccessibleDescription(/'b' is invalid!/)
  await to.fill('a@example.com')
  await dialog.getByRole('textbox', { name: 'Subject' }).fill('{{name}} is there')
  await dialog.getByRole('textbox', { name: 'HTML Body' }).fill('<p>{{records}} records: {{url}}</p>')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Send a test to me' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Accepted by the mail server for 1 address.')
  await dialog.getByRole('tab', { name: 'SFTP' }).click()
  await expect(dialog.getByText(/At most 1 notification can be set/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByText('E-mail to a@example.com')).toBeVisible()
  await form.getByRole('button', { name: 'Submit' }).click()
  await expect(rowOf(page, 'Told by mail').getByText('completed')).toBeVisible({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Expand Told by mail' }).click()
  await expect.poll(async () => (await detailsOf(page))['E-mail Status'], { timeout: 30_000 }).toBe('completed')
})

test('a failed test call shows the reason; removing asks for confirmation', async ({ page }) => {
  await signIn(page, tilda)
  await openScreen(page, 'Exports')
  await page.getByRole('button', { name: 'NEW EXPORT' }).click()
  await dialogOf(page, 'New Export').getByRole('button', { name: 'Set notifications' }).click()
  const dialog = dialogOf(page, 'Notifications')
  await dialog.getByRole('tab', { name: 'HTTP' }).click()
  await choose(page, dialog.getByRole('combobox', { name: 'Method' }), 'GET')
  await dialog.getByRole('textbox', { name: 'Endpoint' }).fill('http://127.0.0.1:9/hook')
  await dialog.getByRole('textbox', { name: 'Body' }).fill('{"a": 1}')
  await expect(dialog.getByText('Value is not required!')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Body' }).fill('')
  await dialog.getByRole('button', { name: 'Test' }).click()
  await expect(dialog.getByRole('alert')).toBeVisible({ timeout: 30_000 })
  await dialog.getByRole('button', { name: 'Remove notification' }).click()
  const question = dialogOf(page, 'Remove notification')
  await expect(question).toContainText('Are you sure?')
  await question.getByRole('button', { name: 'Yes, remove it' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Endpoint' })).toHaveValue('')
})

test.describe('on a phone, in the dark', () => {
  test.use({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })

  test('every kind fits and is accessible; Enter and Escape do not reach the form behind', async ({ page }) => {
    await signIn(page, tilda)
    await page.goto('/contact-service/exports')
    await page.getByRole('button', { name: 'NEW EXPORT' }).click()
    const form = dialogOf(page, 'New Export')
    await form.getByRole('textbox', { name: 'Export Name' }).fill('Told on the phone')
    await expectAccessible(page)
    const opener = form.getByRole('button', { name: 'Set notifications' })
    await opener.click()
    const dialog = dialogOf(page, 'Notifications')
    for (const [kind, field] of [
      ['Email', 'From Name'],
      ['HTTP', 'Endpoint'],
      ['SFTP', 'Folder'],
    ] as const) {
      await dialog.getByRole('tab', { name: kind }).click()
      await expect(dialog.getByRole('textbox', { name: field })).toBeVisible()
      expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
      await expectAccessible(page)
    }
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(opener).toBeFocused()
    await opener.click()
    await dialog.getByRole('tab', { name: 'SFTP' }).click()
    await dialog.getByRole('textbox', { name: 'Host' }).fill('files.example.com')
    await dialog.getByRole('textbox', { name: 'User' }).fill('drop')
    await dialog.getByLabel(/^Password/).fill('secret')
    // Escape does not discard entered text.
    await page.keyboard.press('Escape')
    await expect(dialog).toBeVisible()
    await dialog.getByRole('textbox', { name: 'Host' }).press('Enter')
    await expect(dialog).toBeHidden()
    await expect(form.getByText('SFTP drop@files.example.com:22')).toBeVisible()
    await expect(form.getByRole('textbox', { name: 'Export Name' })).toHaveValue('Told on the phone')
    await form.getByRole('button', { name: 'Cancel' }).click()
    await expect(rowOf(page, 'Told on the phone')).toBeHidden()
  })
})
