import IconEyeOff from '#icons/IconEyeOff'
import { useAccount } from '#lib/session.ts'
import { MessagePage } from './message-page.tsx'

/** Shown instead of an area that the account's preferences hide from the user. */
export function HiddenPage({ screen }: { screen: string }) {
  const { name } = useAccount()
  return (
    <MessagePage title={`${screen} is hidden from you`} icon={<IconEyeOff size={26} />}>
      {`The preferences of ${name || 'this account'} do not show it to you. Contact your admin to see how you can get this feature.`}
    </MessagePage>
  )
}
