import { expectPresentable, openIamScreen } from '../iam-area.ts'
import { linkTo } from '../mailbox.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { dialogOf, rowOf } from '../screens.ts'

let account: Account
let paula: Person

test.beforeAll(async () => {
  account = await makeAccount('Quill Stationery')
  paula = await makePerson('Paulina', { accounts: [account] })
})

test('a sender is verified by the owner of its mailbox, and removed after confirmation', async ({
  page,
  browser,
  trouble,
}) => {
  const address = 'news@quill.example'
  await signIn(page, paula, account, '/iam/home')
  await openIamScreen(page, 'Preferences')
  await expect(page.getByText('Always allowed: portal@example.com.')).toBeVisible()
  const field = page.getByRole('textbox', { name: 'Email of the new sender' })
  trouble.expect('400 POST /api/contact-service/v1/senders')
  await field.fill('news@')
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(field).toHaveAccessibleDescription('Invalid email or format given')
  await field.fill(address)
  await field.press('Enter')
  await expect(page.getByText(`An email with a link was sent to ${address}.`)).toBeVisible()
  await expect(rowOf(page, address).getByText('Waiting')).toBeVisible()
  await expectPresentable(page)

  const link = await linkTo(address, '/confirm-sender')
  const stranger = await browser.newPage()
  await stranger.goto(link)
  await expect(stranger).toHaveURL('/confirm-sender')
  await expect(stranger.getByRole('main')).toContainText(
    `${paula.email} asks to send emails from ${address} in the account ${account.name} on Portico.`,
  )
  await expectPresentable(stranger)
  await stranger.reload()
  await stranger.getByRole('button', { name: 'Allow' }).click()
  await expect(stranger.getByRole('heading', { name: 'Sender confirmed' })).toBeVisible()
  await expectPresentable(stranger)
  await stranger.goto('/')
  await stranger.goto(link)
  await expect(stranger.getByRole('heading', { name: 'This link is not valid' })).toBeVisible()
  await stranger.close()

  await page.reload()
  await expect(rowOf(page, address).getByText('Verified')).toBeVisible()
  await page.getByRole('button', { name: `Remove ${address}` }).click()
  const question = dialogOf(page, 'Remove sender')
  await expect(question).toContainText(`Emails from ${address} will fail, including those of schedules.`)
  await question.getByRole('button', { name: 'Yes, remove it' }).click()
  await expect(page.getByText('No senders yet')).toBeVisible()
})

test.describe('on a phone, in the dark', () => {
  test.use({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })

  test('senders fit the screen, and a link without a secret shows a message', async ({ page }) => {
    await page.goto('/confirm-sender')
    await expect(page.getByRole('heading', { name: 'This link is not valid' })).toBeVisible()
    await expectPresentable(page)
    await signIn(page, paula, account, '/iam/preferences')
    await expect(page.getByRole('heading', { name: 'Senders' })).toBeVisible()
    await expectPresentable(page)
  })
})
