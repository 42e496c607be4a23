(** * From one cell to every dataset

    The release of all cells is the count of the target's cell, and the counts of the others ([split_cell]). These are
    sampled independently, so what holds within the target's cell for every event holds for every dataset, every fixed
    recoding and every event ([lift]). *)

From Coq Require Import Reals Lra Psatz Lia Arith List Bool FunctionalExtensionality.
From Crowdproof Require Import Definitions Binomial OneCell Tight Expectation Amplification.
Import ListNotations.
Open Scope R_scope.

Section Anonymize.
Variables Row Cell : Type.
Variable eqb : Cell -> Cell -> bool.
Hypothesis eqb_ok : forall c c', eqb c c' = true <-> c = c'.
Variable g : Row -> Cell.
Variable k : nat.
Notation E := (E Row).
Notation count := (count Row Cell eqb g).
Notation release := (release Row Cell eqb g k).

Section Split.
Variable c0 : Cell.
Variable b : R.

(** The rows of the other cells. *)
Definition rest (s : list Row) := filter (fun r => negb (eqb (g r) c0)) s.

(** The count of a cell is binomial, and independent of the rest. *)
Lemma split_cell l : forall (H : nat -> list Row -> R) M, (count c0 l < M)%nat ->
  E b l (fun s => H (count c0 s) (rest s)) = sum (fun j => f b (count c0 l) j * E b (rest l) (H j)) M.
Proof. unfold Definitions.count, rest. induction l as [|t l IH]; intros H M HM; simpl in *.
 - destruct M; [lia |]. rewrite sum_shift. simpl f. rewrite sum_zero. ring. intros j Hj. ring.
 - destruct (eqb (g t) c0) eqn:Q; simpl in *.
   + destruct M as [|M]; [lia |]. rewrite (IH H (S M)) by lia. rewrite (IH (fun j => H (S j)) M) by lia.
     set (n := length (filter (fun r => eqb (g r) c0) l)) in *. set (R0 := filter (fun r => negb (eqb (g r) c0)) l).
     rewrite (sum_shift (fun j => ((1 - b) * f b n j + match j with O => 0 | S j' => b * f b n j' end) * E b R0 (H j))).
     rewrite (sum_shift (fun j => f b n j * E b R0 (H j))).
     rewrite (sum_ext (fun j => ((1 - b) * f b n (S j) + b * f b n j) * E b R0 (H (S j))) (fun j => (1 - b) * (f b n (S j) * E b R0 (H (S j))) + b * (f b n j * E b R0 (H (S j))))) by (intros; ring).
     rewrite sum_lin. ring.
   + rewrite (IH H M HM). rewrite (IH (fun j s => H j (t :: s)) M HM). rewrite <- sum_lin. apply sum_ext. intros j _. ring. Qed.

Lemma count_rest c s : c <> c0 -> count c (rest s) = count c s.
Proof. intro H. unfold Definitions.count, rest. induction s; simpl. reflexivity. destruct (eqb (g a) c0) eqn:Q; simpl.
 - destruct (eqb (g a) c) eqn:Q'; simpl; auto. exfalso. apply H. apply eqb_ok in Q, Q'. congruence.
 - destruct (eqb (g a) c); simpl; rewrite IHs; reflexivity. Qed.

End Split.

Lemma eqb_refl c : eqb c c = true.
Proof. apply eqb_ok. reflexivity. Qed.

Lemma count_app c l l' : count c (l ++ l') = (count c l + count c l')%nat.
Proof. unfold Definitions.count. rewrite filter_app, app_length. reflexivity. Qed.

Theorem lift b x delta : 0 < b < 1 -> (1 <= k)%nat ->
  (forall e n M, event k e -> (S n < M)%nat -> (k <= M)%nat -> Pr b e (S n) M <= x * Pr b e n M + delta /\ Pr b e n M <= x * Pr b e (S n) M + delta) ->
  forall O, private Row b x delta (anonymize Row Cell eqb g k O).
Proof. intros Hb Hk HT O D D' [l [t [l' [-> ->]]]]. unfold anonymize. set (c0 := g t).
 set (q := fun (j : nat) (s : list Row) => one (O (fun c => if eqb c c0 then lump k j else lump k (count c s)))).
 assert (Q : forall s, one (O (release s)) = q (count c0 s) (rest c0 s)).
 { intro s. unfold q. f_equal. f_equal. extensionality c. unfold Definitions.release.
   destruct (eqb c c0) eqn:B. apply eqb_ok in B. subst c. reflexivity. rewrite count_rest. reflexivity. intro; subst. rewrite eqb_refl in B. discriminate. }
 set (n := count c0 (l ++ l')).
 assert (N : count c0 (l ++ t :: l') = S n). { unfold n. rewrite !count_app. unfold Definitions.count at 2. simpl. unfold c0 at 2. rewrite eqb_refl. simpl. unfold Definitions.count. lia. }
 assert (RR : rest c0 (l ++ t :: l') = rest c0 (l ++ l')). { unfold rest. rewrite !filter_app. simpl. unfold c0 at 2. rewrite eqb_refl. reflexivity. }
 set (M := (S (S n) + k)%nat).
 rewrite (E_ext Row b (l ++ t :: l') _ _ Q), (E_ext Row b (l ++ l') _ _ Q).
 rewrite (split_cell c0 b (l ++ t :: l') q M) by (rewrite N; unfold M; lia). rewrite (split_cell c0 b (l ++ l') q M) by (fold n; unfold M; lia).
 rewrite N, RR. fold n. rewrite !E_sum. set (R0 := rest c0 (l ++ l')).
 assert (T : forall s, sum (fun j => f b (S n) j * q j s) M <= x * sum (fun j => f b n j * q j s) M + delta /\ sum (fun j => f b n j * q j s) M <= x * sum (fun j => f b (S n) j * q j s) M + delta).
 { intro s. set (e := fun j => O (fun c => if eqb c c0 then lump k j else lump k (count c s))).
   assert (W : forall m, sum (fun j => f b m j * q j s) M = Pr b e m M). { intro m. unfold Pr. apply sum_ext. intros j _. unfold q, ind, one. fold (e j). destruct (e j); ring. }
   rewrite !W. apply HT; unfold M; try lia. exists (e 0%nat). intros j Hj. unfold e, lump. replace (j <? k)%nat with true by (symmetry; apply Nat.ltb_lt; exact Hj). replace (0 <? k)%nat with true by (symmetry; apply Nat.ltb_lt; lia). reflexivity. }
 split; apply E_bound; try lra; intro s; apply T. Qed.

(** ** Theorem 5 *)

Lemma rate_and_epsilon b eps : 0 < b < 1 -> - ln (1 - b) <= eps -> 1 <= exp eps /\ 1 <= exp eps * (1 - b).
Proof. intros Hb He. assert (H : exp (- ln (1 - b)) <= exp eps) by (destruct He as [He|He]; [left; apply exp_increasing; exact He | right; rewrite He; reflexivity]).
 rewrite exp_Ropp, exp_ln in H by lra. assert (H0 : / (1 - b) * (1 - b) <= exp eps * (1 - b)) by (apply Rmult_le_compat_r; lra). rewrite Rinv_l in H0 by lra.
 split; [| exact H0]. assert (P := exp_pos eps). destruct (Rle_dec 1 (exp eps)); auto. exfalso. nra. Qed.

Lemma gamma_exp eps b : gamma eps b * exp eps = exp eps - 1 + b.
Proof. unfold gamma. assert (P := exp_pos eps). field. lra. Qed.

Theorem theorem5 b eps nm delta : 0 < b < 1 -> (1 <= k)%nat -> - ln (1 - b) <= eps ->
  gamma eps b * INR nm < INR k -> INR k <= gamma eps b * (INR nm + 1) ->
  (forall n, (nm <= n)%nat -> above b (gamma eps b) n <= delta) ->
  forall O, private Row b (exp eps) delta (anonymize Row Cell eqb g k O).
Proof. intros Hb Hk He H1 H2 Hd. destruct (rate_and_epsilon b eps Hb He) as [X0 X1].
 apply lift; try assumption. apply one_cell with (g := gamma eps b) (nm := nm); try assumption. apply gamma_exp. Qed.

(** ** The tight delta *)

Theorem tight_at_large_epsilon b eps p : 0 < b < 1 -> (1 <= k)%nat -> - ln (1 - b) <= eps ->
  gamma eps b * INR p <= INR k - 1 -> INR k - 1 <= gamma eps b * (INR p + 1) ->
  forall O, private Row b (exp eps) (gain b (exp eps) p k) (anonymize Row Cell eqb g k O).
Proof. intros Hb Hk He H1 H2. destruct (rate_and_epsilon b eps Hb He) as [X0 X1].
 destruct (tight_more b (exp eps) Hb X0 (gamma eps b) (gamma_exp eps b) k p Hk H1 H2) as [U F].
 apply lift; try assumption. intros e n M Hev HM HkM. split. apply F; assumption.
 assert (R := reverse b (exp eps) Hb X0 X1 e n M). lra. Qed.

Theorem tight_at_small_epsilon b eps p p' : 0 < b < 1 -> (1 <= k)%nat -> 0 <= eps -> eps < - ln (1 - b) ->
  gamma eps b * INR p <= INR k - 1 -> INR k - 1 <= gamma eps b * (INR p + 1) ->
  (1 - exp eps * (1 - b)) * INR p' <= INR k - 1 -> INR k - 1 <= (1 - exp eps * (1 - b)) * (INR p' + 1) ->
  forall O, private Row b (exp eps) (Rmax (gain b (exp eps) p k) (gain_less b (exp eps) p' k)) (anonymize Row Cell eqb g k O).
Proof. intros Hb Hk He Hs H1 H2 H3 H4. assert (X0 := exp_at_least_1 eps He).
 assert (X1 : 0 < 1 - exp eps * (1 - b)).
 { assert (H : exp eps < exp (- ln (1 - b))) by (apply exp_increasing; exact Hs). rewrite exp_Ropp, exp_ln in H by lra.
   assert (exp eps * (1 - b) < / (1 - b) * (1 - b)) by (apply Rmult_lt_compat_r; lra). rewrite Rinv_l in H0 by lra. lra. }
 destruct (tight_more b (exp eps) Hb X0 (gamma eps b) (gamma_exp eps b) k p Hk H1 H2) as [U F].
 assert (M1 := Rmax_l (gain b (exp eps) p k) (gain_less b (exp eps) p' k)). assert (M2 := Rmax_r (gain b (exp eps) p k) (gain_less b (exp eps) p' k)).
 apply lift; try assumption. intros e n M Hev HM HkM. split.
 - assert (Q := F e n M Hev HM HkM). lra.
 - apply (tight_less b (exp eps) Hb X0 (1 - exp eps * (1 - b)) eq_refl k p'); try assumption. lra. Qed.

(** ** The tight delta is attained: p + 1 rows of one cell, and the event that the cell is shown *)

Lemma count_same t n : count (g t) (repeat t n) = n.
Proof. unfold Definitions.count. induction n; simpl. reflexivity. rewrite eqb_refl. simpl. rewrite IHn. reflexivity. Qed.

Definition shown (c : Cell) (r : Cell -> nat) : bool := (1 <=? r c)%nat.

Lemma shown_at_least b t n : 0 < b < 1 -> (1 <= k)%nat -> E b (repeat t n) (anonymize Row Cell eqb g k (shown (g t))) = at_least b n k.
Proof. intros Hb Hk. unfold anonymize, shown, Definitions.release. set (M := (S n + k)%nat).
 rewrite (split_cell (g t) b (repeat t n) (fun j _ => one (1 <=? lump k j)%nat) M) by (rewrite count_same; unfold M; lia).
 rewrite count_same. rewrite <- (Pr_at_least b k n M) by (unfold M; lia). unfold Pr. apply sum_ext. intros j _. rewrite E_const.
 unfold lump, one, ind. destruct (j <? k)%nat eqn:A.
 - apply Nat.ltb_lt in A. replace (k <=? j)%nat with false by (symmetry; apply Nat.leb_gt; exact A). simpl. ring.
 - apply Nat.ltb_ge in A. replace (k <=? j)%nat with true by (symmetry; apply Nat.leb_le; exact A). replace (1 <=? j)%nat with true by (symmetry; apply Nat.leb_le; lia). ring. Qed.

Lemma repeat_neighbours (t : Row) n : neighbours Row (repeat t (S n)) (repeat t n).
Proof. exists [], t, (repeat t n). split; reflexivity. Qed.

Theorem tight_attained b x p (t : Row) : 0 < b < 1 -> (1 <= k)%nat ->
  E b (repeat t (S p)) (anonymize Row Cell eqb g k (shown (g t))) = x * E b (repeat t p) (anonymize Row Cell eqb g k (shown (g t))) + gain b x p k.
Proof. intros Hb Hk. rewrite !shown_at_least by assumption. unfold gain. ring. Qed.

Lemma hidden_less b t n : 0 < b < 1 -> (1 <= k)%nat -> E b (repeat t n) (anonymize Row Cell eqb g k (fun r => negb (shown (g t) r))) = 1 - at_least b n k.
Proof. intros Hb Hk. rewrite <- (shown_at_least b t n Hb Hk). rewrite <- (E_const Row b (repeat t n) 1) at 1.
 rewrite (E_ext Row b _ (anonymize Row Cell eqb g k (fun r => negb (shown (g t) r))) (fun s => 1 * 1 + (-1) * anonymize Row Cell eqb g k (shown (g t)) s)) by (intro s; unfold anonymize, one; destruct (shown (g t) _); simpl; ring).
 rewrite (E_lin Row b (repeat t n) (fun _ => 1)). ring. Qed.

Theorem tight_less_attained b x p (t : Row) : 0 < b < 1 -> (1 <= k)%nat ->
  E b (repeat t p) (anonymize Row Cell eqb g k (fun r => negb (shown (g t) r))) = x * E b (repeat t (S p)) (anonymize Row Cell eqb g k (fun r => negb (shown (g t) r))) + gain_less b x p k.
Proof. intros Hb Hk. rewrite !hidden_less by assumption. unfold gain_less. ring. Qed.

(** No smaller delta does. *)
Theorem tight_is_least b x p (t : Row) delta : 0 < b < 1 -> (1 <= k)%nat ->
  (forall O, private Row b x delta (anonymize Row Cell eqb g k O)) -> gain b x p k <= delta /\ gain_less b x p k <= delta.
Proof. intros Hb Hk H. split.
 - destruct (H (shown (g t)) _ _ (repeat_neighbours t p)) as [Q _]. rewrite (tight_attained b x p t Hb Hk) in Q. lra.
 - destruct (H (fun r => negb (shown (g t) r)) _ _ (repeat_neighbours t p)) as [_ Q]. rewrite (tight_less_attained b x p t Hb Hk) in Q. lra. Qed.

End Anonymize.
