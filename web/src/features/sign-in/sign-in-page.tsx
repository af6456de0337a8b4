import { Alert } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'react-router'
import IconInfoCircle from '#icons/IconInfoCircle'
import { useDeployment, usePageTitle } from '#lib/deployment.ts'
import { signInWithCode, useSession } from '#lib/session/session.ts'
import { EntryFrame } from '#ui/page/entry-frame.tsx'
import { AccountChoice } from './account-choice.tsx'
import { CodeForm } from './code-form.tsx'
import { beginCodeStep, type CodeStep, endCodeStep, keptCodeStep } from './code-step.ts'
import { CredentialsForm } from './credentials-form.tsx'
import { useOwnChoice } from './temporary-password.ts'

type Step = { email: string; problem: string | null; code: CodeStep | null }

/**
 * Sign-in: credentials, a code if two-factor is on, then an account if there are several. The parent decides where to
 * go next.
 */
export function SignInPage() {
  const session = useSession()
  const { company, product } = useDeployment()
  // Pages that link here know the person.
  const from = useLocation().state as { email?: string; notice?: string } | null
  const [step, setStep] = useState<Step>(() => {
    const code = keptCodeStep()
    return { email: code?.email ?? from?.email ?? '', problem: null, code }
  })
  const leadToChoice = useOwnChoice()
  const isHalf = session.state === 'half'
  usePageTitle(isHalf ? 'Choose an account' : step.code ? 'Enter your code' : 'Sign in')
  const notice = (session.state === 'out' && session.notice) || from?.notice

  const submitCode = async (token: string, code: string): Promise<void> => {
    await signInWithCode(token, code).catch(leadToChoice)
    endCodeStep()
  }

  return (
    <EntryFrame company={company} product={product}>
      {notice && !isHalf && !step.code && step.problem === null && (
        <Alert mb="md" color="blue" icon={<IconInfoCircle size={18} />}>
          <output>{notice}</output>
        </Alert>
      )}
      {isHalf && <AccountChoice email={session.email} />}
      {!isHalf && !step.code && (
        <CredentialsForm
          email={step.email}
          problem={step.problem}
          onCodeWanted={(token, email) => setStep({ email, problem: null, code: beginCodeStep(token, email) })}
        />
      )}
      {!isHalf && step.code && (
        <CodeForm
          endsAt={step.code.endsAt}
          onCode={(code) => submitCode(step.code?.token ?? '', code)}
          onBack={(problem) => {
            endCodeStep()
            setStep({ ...step, code: null, problem })
          }}
        />
      )}
    </EntryFrame>
  )
}
