// As one types: the index's own order at once; the ranked page when the list stands, or at Enter.
// SPDX-License-Identifier: ISC
'use strict';
(() => {
    const box = document.getElementById('q'), main = document.getElementById('main');
    const TYPED = 60, STANDS = 600;
    let timer, later, request, last = box.value.trim();

    // The page is relative to the folder of the site, also below doc.
    const home = new URL('./', document.baseURI);
    const address = (path, query) => Object.assign(new URL(path, home), {search: new URLSearchParams({q: query})});

    async function load(url) {
        if (request) request.abort();
        const mine = request = new AbortController();
        try {
            const answer = await fetch(url, {signal: mine.signal, credentials: 'same-origin'});
            return mine === request ? await answer.text() : null;
        } catch (error) {
            if (error.name !== 'AbortError') document.getElementById('lost').hidden = false;
            return null;
        }
    }

    function show(page) {
        const focus = document.activeElement;
        document.getElementById('lost').hidden = true;
        main.replaceChildren(...(page.querySelector('main') || page.body).childNodes);
        document.title = page.title || document.title;
        if (focus === box) box.focus();
    }

    const parsed = text => new DOMParser().parseFromString(text, 'text/html');

    async function typed() {
        const text = await load(address('typed', last));
        if (text) show(parsed(text));
    }

    async function search(push) {
        clearTimeout(timer);
        clearTimeout(later);
        last = box.value.trim();
        const url = address('./', last), text = await load(url);
        if (text) {
            show(parsed(text));
            history[push ? 'pushState' : 'replaceState'](null, '', url);
        }
    }

    box.addEventListener('input', () => {
        if (box.value.trim() === last) return;
        last = box.value.trim();
        clearTimeout(timer);
        clearTimeout(later);
        timer = setTimeout(typed, TYPED);
        if (last) later = setTimeout(() => search(false), STANDS);
    });
    box.form.addEventListener('submit', event => {
        event.preventDefault();
        search(true);
    });
    addEventListener('popstate', () => location.reload());

    // Arrows go from the box through the results, Esc goes back to it, / comes to it, ? asks for help.
    addEventListener('keydown', event => {
        const inBox = document.activeElement === box, links = [...main.querySelectorAll('ol a')];
        const at = links.indexOf(document.activeElement);
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        if (event.key === '/' && !inBox) box.select();
        else if (event.key === '?' && !inBox) location = new URL('help', home);
        else if (event.key === 'Escape' && inBox && box.value) return;
        else if (event.key === 'Escape') box.focus();
        else if (event.key === 'ArrowDown' && (inBox || at >= 0) && links[at + 1]) links[at + 1].focus();
        else if (event.key === 'ArrowUp' && at === 0) box.focus();
        else if (event.key === 'ArrowUp' && at > 0) links[at - 1].focus();
        else return;
        event.preventDefault();
    });
})();
