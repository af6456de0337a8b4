import { ModulePage } from '#features/modules'
import { ProfilePage } from '#features/profile'

/** The page that the installation has set for the profile, else the portal's own. */
export const ProfileModule = () => <ModulePage builtIn={<ProfilePage />} />
