import { ModulePage } from '#features/modules'
import { ProfilePage } from '#features/profile'
import IconUserShield from '#icons/IconUserShield'
import { useUser } from '#lib/session/session.ts'
import { MessagePage } from './message-page.tsx'

/** The page that the installation configures for the profile, else the portal's own. */
export const ProfileModule = () => {
  const { isImpersonated, userName, email } = useUser()
  if (!isImpersonated) return <ModulePage builtIn={<ProfilePage />} />
  return (
    <MessagePage title="Profile not available" icon={<IconUserShield size={26} />}>
      {`You are impersonating ${userName ?? email}. Only they can see and change their profile.`}
    </MessagePage>
  )
}
