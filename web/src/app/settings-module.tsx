import { ModulePage } from '#features/modules'
import { UserSettingsPage } from '#features/user-settings'

/** The page that the installation configures for the settings, else the portal's own. */
export const SettingsModule = () => <ModulePage builtIn={<UserSettingsPage />} />
