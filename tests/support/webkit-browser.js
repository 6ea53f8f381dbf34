/**
 * A browser of WebKitGTK in one window for each tab, run by gjs and driven by WebKitWebDriver. The browser that comes
 * with the driver keeps no files when it is driven. Arguments: a folder for what it keeps, then `name=value`.
 */
import Gtk from "gi://Gtk?version=3.0";
import WebKit2 from "gi://WebKit2?version=4.1";

/** What Safari has, and WebKitGTK has but leaves off. */
const features = ["AccessHandle", "FileSystem", "FileSystemWritableStream", "StorageAPI", "StorageAPIEstimate"];

const [folder, ...rest] = ARGV;
const options = Object.fromEntries(rest.map((text) => text.split("=")));

Gtk.init(null);
Gtk.Settings.get_default().gtk_application_prefer_dark_theme = options.dark === "true";

const manager = new WebKit2.WebsiteDataManager({
  base_data_directory: `${folder}/data`,
  base_cache_directory: `${folder}/cache`,
  ...(options.share && { origin_storage_ratio: Number(options.share) }),
});
const context = new WebKit2.WebContext({ website_data_manager: manager });
context.set_automation_allowed(true);

const settings = new WebKit2.Settings();
const known = WebKit2.Settings.get_all_features();
for (let index = 0; index < known.get_length(); index++) {
  const feature = known.get(index);
  if (features.includes(feature.get_identifier())) settings.set_feature_enabled(feature, true);
}

context.connect("automation-started", (_, session) => {
  session.connect("create-web-view", () => {
    const view = new WebKit2.WebView({ web_context: context, settings, is_controlled_by_automation: true });
    const window = new Gtk.Window({ default_width: 1280, default_height: 800 });
    window.add(view);
    window.show_all();
    view.connect("close", () => window.destroy());
    return view;
  });
});
Gtk.main();
