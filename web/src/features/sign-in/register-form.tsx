import { isSameCaller } from '@portico/contract/email-address'
import type { ownAccountApi } from '@portico/contract/own-account'
import { newPasswordFor, type PortalNames } from '@portico/contract/password-rules'
import type { Reply } from '@portico/contract/route'
import { messages } from '@portico/contract/messages'
import { Alert, Button, Stack, Text, TextInput, Title } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useRef } from 'react'
import { useNavigate } from 'react-router'
import { z } from 'zod'
import IconInfoCircle from '#icons/IconInfoCircle'
import { useDeployment } from '#lib/deployment.ts'
import { formatDate } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { useSession } from '#lib/session/session.ts'
import { useSubmit } from '#lib/submit.ts'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { useInitialFocus } from '#ui/form/initial-focus.ts'
import { NewPasswordField } from '#ui/form/new-password-field.tsx'
import { useRegister } from './register-queries.ts'

type Invitation = Reply<typeof ownAccountApi.readInvitation>

const fields = z.object({
  userName: z.string().trim().min(1, messages.required).max(100, 'Use at most 100 characters.'),
  password: z.string(),
})

/** Also checks the password against the typed name. */
const schemaFor = (email: string, portal: PortalNames) =>
  fields.superRefine(({ userName, password }, context) => {
    const { error } = newPasswordFor({ email, userName }, portal).safeParse(password)
    const [issue] = error?.issues ?? []
    if (issue) context.addIssue({ code: 'custom', message: issue.message, path: ['password'] })
  })

export function RegisterForm({ link, invitation }: { link: string; invitation: Invitation }) {
  const { company, product } = useDeployment()
  const { email, expiresAt, invitedBy } = invitation
  const form = useForm({
    initialValues: { userName: invitation.userName ?? '', password: '' },
    validate: (values) => schemaResolver(schemaFor(email, { company, product }), { sync: true })(values),
    validateInputOnChange: true,
  })
  const navigate = useNavigate()
  const inputs = useRef<HTMLDivElement>(null)
  useInitialFocus(inputs)

  const { submit, problem, isBusy } = useSubmit(form, useRegister(), {
    // That page leads to the account, or to the choice of one.
    done: () => void navigate(paths.entry(), { replace: true }),
  })

  return (
    <form noValidate onSubmit={form.onSubmit((values) => submit({ invitation: link, ...values }))}>
      <Stack gap="sm">
        <div>
          <Title order={1} size={18}>
            Welcome to {product}
          </Title>
          <Text size="sm" c="dimmed" mt={4}>
            {invitedBy === null ? 'You are invited' : `${invitedBy} invited you`} to work in{' '}
            {places(invitation.accounts)}. Choose a password for {email} to begin. The invitation is good until{' '}
            {formatDate(expiresAt)}.
          </Text>
        </div>
        <OtherPerson email={email} />
        <FormProblem>{problem}</FormProblem>
        {/* For password managers, which need to know the user name. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <div ref={inputs}>
          <TextInput
            size="sm"
            label="Your name"
            autoComplete="name"
            maxLength={100}
            mb="sm"
            {...form.getInputProps('userName')}
          />
          <NewPasswordField
            size="sm"
            label="Password"
            knownWords={[email, form.values.userName, company, product]}
            {...form.getInputProps('password')}
          />
        </div>
        <Button type="submit" size="sm" mt={6} fullWidth loading={isBusy}>
          Register
        </Button>
      </Stack>
    </form>
  )
}

/** Two people may share a browser. */
function OtherPerson({ email }: { email: string }) {
  const session = useSession()
  if (session.state !== 'in' || isSameCaller(session.user.email, email)) return null
  return (
    <Alert color="orange" icon={<IconInfoCircle size={18} />}>
      {session.user.email} is signed in in this browser, and will be signed out when you register.
    </Alert>
  )
}

/** `the account A`, `the accounts A, B and C`; more than a few are only counted. */
function places(accounts: string[]): string {
  const [first, ...others] = accounts
  if (first === undefined) return 'the portal'
  if (others.length === 0) return first === 'All accounts' ? 'all accounts' : `the account ${first}`
  return `the accounts ${new Intl.ListFormat('en-US').format(
    accounts.length > 4 ? [...accounts.slice(0, 3), `${accounts.length - 3} more`] : accounts,
  )}`
}
