// A view whose program cannot be loaded, in Chromium: the page stays, and goes on by itself.
import { expect, setDefaultTimeout, test } from "bun:test";
import { TestBrowser } from "../support/page/browser.ts";
import { startPageScene } from "../support/page/page-scene.ts";

setDefaultTimeout(600_000);

test("a view that is opened while its server is away says so beside the others, and is there when the server is back", async () => {
  await using browser = await TestBrowser.launch();
  await using scene = await startPageScene({});
  const page = await browser.open(scene.page.address("#/goals"));
  await page.getByRole("banner").getByText("live", { exact: true }).waitFor();
  await scene.page.kill();
  await page.getByText("Not connected. What you see may be old.").waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Clan" }).click();
  await page.getByRole("alert").getByText("This part of the page could not be loaded.").waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Goals" }).click();
  await page.getByRole("heading", { name: "Goals" }).waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Clan" }).click();
  await page.getByRole("alert").getByText("This part of the page could not be loaded.").waitFor();
  await scene.page.run();
  await page.getByRole("heading", { name: "Clan" }).waitFor();
  expect(page.url()).toEndWith("#/clan");
});
