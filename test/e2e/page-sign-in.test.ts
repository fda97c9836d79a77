// Shows how a person signs in to the page, in Chromium, on the real API.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { serve } from "../../lib/service/serve.ts";
import { nightly } from "../support/nightly.ts";
import { TestBrowser } from "../support/page/browser.ts";
import { startPageScene } from "../support/page/page-scene.ts";

setDefaultTimeout(300_000);

let browser: TestBrowser;
beforeAll(async () => {
  browser = await TestBrowser.launch();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  expect(browser.problems).toEqual([]);
});

nightly("where its session is no longer good, the page asks for a token", async () => {
  await using scene = await startPageScene({});
  const page = await browser.open(scene.page.address("#/goals"));
  await page.getByRole("banner").getByText("live", { exact: true }).waitFor();
  await scene.page.kill();
  scene.page.forgetSessions();
  await scene.page.run();
  await page.getByLabel("Token").waitFor();
});

test("without a token the page asks for one, and goes on to the view of the address", async () => {
  await using scene = await startPageScene({});
  const page = await browser.open(`${scene.page.url}/#/clan`);
  await page.getByRole("heading", { name: "Sett" }).waitFor();
  const token = new URL(scene.page.address("#/clan")).searchParams.get("token") ?? "";
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Enter" }).click();
  await page.getByRole("heading", { name: "Clan" }).waitFor();
  expect(page.url()).toBe(`${scene.page.url}/#/clan`);
});

nightly("the page names the person who reads as the record does, and not the token", async () => {
  await using scene = await startPageScene({});
  await scene.page.kill();
  scene.page.addToken("ui", ["read"], "person:Ada Lovelace <ada@example.org>");
  await scene.page.run();
  const page = await browser.open(scene.page.address("#/goals", "ui"));
  await page.getByRole("banner").getByText("Ada Lovelace", { exact: true }).waitFor();
});

test("a token in the address that is not good leads to the sign-in, which says so, and is gone from the address", async () => {
  await using scene = await startPageScene({});
  const page = await browser.open(`${scene.page.url}/?token=from-yesterday#/clan`);
  await page.getByRole("alert").getByText("The token in the address is not good").waitFor();
  expect(page.url()).toBe(`${scene.page.url}/#/clan`);
  await page.getByLabel("Token").fill("mistyped");
  await page.getByRole("button", { name: "Enter" }).click();
  await page.getByRole("alert").getByText("The token is not good").waitFor();
  expect(page.url()).toBe(`${scene.page.url}/#/clan`);
  const token = new URL(scene.page.address("#/clan")).searchParams.get("token") ?? "";
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Enter" }).click();
  await page.getByRole("heading", { name: "Clan" }).waitFor();
  expect(page.url()).toBe(`${scene.page.url}/#/clan`);
  await page.goto(`${scene.page.url}/?token=from-yesterday#/clan`);
  await page.getByRole("button", { name: "Go on so" }).click();
  await page.getByRole("heading", { name: "Clan" }).waitFor();
});

nightly("a network that breaks one request leaves the token good: it is sent again", async () => {
  await using scene = await startPageScene({});
  const page = await browser.open(`${scene.page.url}/`);
  await page.getByLabel("Token").waitFor();
  await page.route("**/open", (route) => route.abort("failed"), { times: 1 });
  await page.goto(scene.page.address("#/clan"));
  await page.getByRole("heading", { name: "Clan" }).waitFor();
});

nightly(
  "a server that does not answer has refused no token: the page says so, and keeps the token",
  async () => {
    await using scene = await startPageScene({});
    const page = await browser.open(`${scene.page.url}/`);
    await page.getByLabel("Token").waitFor();
    await page.route("**/open", (route) => route.abort("failed"));
    await page.goto(scene.page.address("#/clan"));
    await page.getByRole("alert").getByText("The server does not answer.").waitFor();
    expect(page.url()).toBe(`${scene.page.url}/#/clan`);
    await page.unroute("**/open");
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByRole("heading", { name: "Clan" }).waitFor();
  },
);

nightly(
  "a server at another port of the same address gets nothing of the session, and another tab at this one has it",
  async () => {
    await using scene = await startPageScene({});
    const page = await browser.open(scene.page.address("#/clan"));
    await page.getByRole("heading", { name: "Clan" }).waitFor();
    expect(page.url()).toBe(`${scene.page.url}/#/clan`);
    const credentials: (string | null)[] = [];
    const other = serve({ port: 0, hostname: "127.0.0.1" }, (request) => {
      credentials.push(request.headers.get("cookie"), request.headers.get("authorization"));
      return new Response("<script>localStorage.length</script>", {
        headers: { "content-type": "text/html" },
      });
    });
    const context = page.context();
    const there = await browser.follow(context, `http://127.0.0.1:${other.port}/`);
    expect(credentials.length).toBeGreaterThanOrEqual(2);
    expect(credentials.filter((one) => one !== null)).toEqual([]);
    expect(await there.evaluate(() => [document.cookie, localStorage.length])).toEqual(["", 0]);
    const again = await context.newPage();
    await again.goto(`${scene.page.url}/#/clan`);
    await again.getByRole("heading", { name: "Clan" }).waitFor();
    await other.stop();
  },
);

nightly("the content of an artefact opens as plain text in a tab of its own", async () => {
  await using scene = await startPageScene({});
  const goal = await scene.clan.postGoal("<script>alert(1)</script> é");
  const page = await browser.open(scene.page.address(`#/goals/${goal.id}?a=${goal.id}`));
  const opened = page.context().waitForEvent("page");
  await page.getByRole("button", { name: "As plain text" }).click();
  const tab = await opened;
  await tab.getByText("<script>alert(1)</script> é").waitFor();
  expect(await tab.evaluate(() => document.contentType)).toBe("text/plain");
});
